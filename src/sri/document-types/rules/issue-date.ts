import { addDays } from '../../../shared/guayaquil.js';
import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { defineRules, finding } from './rule.js';

const RULES = defineRules({
  'issue_date.future': {
    es: 'La fecha de emisión es posterior al día de hoy en Ecuador',
    en: 'The issue date is later than today in Ecuador',
    reference: 'Ficha técnica 2.32, mensaje 65',
  },
  'issue_date.too_old': {
    es: 'La fecha de emisión es demasiado antigua para enviarse al SRI',
    en: 'The issue date is too old to be sent to the SRI',
    reference: 'Ficha técnica 2.32, mensaje 65',
  },
  'issue_date.not_today': {
    severity: 'warning',
    es: 'Desde 2026 el SRI pide transmitir el mismo día de la emisión y puede rechazar fechas anteriores',
    en: 'Since 2026 the SRI wants transmission on the day of issue and may refuse earlier dates',
    reference: 'Res. NAC-DGERCGC25-00000017; ficha técnica 2.32, mensaje 65',
  },
});

/** The issue date against today, both days in Guayaquil. */
export function* checkIssueDate(content: DocumentContent, context: RuleContext): Generator<Finding> {
  const { issueDate } = content;
  const { today, maxIssueDateAgeDays } = context;
  if (issueDate > today) {
    yield finding(RULES['issue_date.future'], '/issue_date', today, issueDate);
    return;
  }
  const oldest = addDays(today, -maxIssueDateAgeDays);
  if (issueDate < oldest) yield finding(RULES['issue_date.too_old'], '/issue_date', oldest, issueDate);
  else if (issueDate !== today) yield finding(RULES['issue_date.not_today'], '/issue_date', today, issueDate);
}
