import type { Finding } from '../../shared/finding.js';
import type { Language } from './field-messages.js';

/** A fiscal finding as a caller reads it: in one language. */
export type ToldFinding = Omit<Finding, 'message'> & { readonly message: string };

export const toldFinding = (finding: Finding, language: Language): ToldFinding => ({ ...finding, message: finding.message[language] });
