import type { Finding } from '../../shared/finding.js';
import type { Language } from '../../shared/language.js';

/** A fiscal finding as a caller reads it: in one language. */
export type LocalizedFinding = Omit<Finding, 'message'> & { readonly message: string };

export const localizedFinding = (finding: Finding, language: Language): LocalizedFinding => ({ ...finding, message: finding.message[language] });
