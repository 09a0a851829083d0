import type { Finding } from '../../../shared/finding.js';
import type { Destination, DocumentContent } from '../content.js';
import { atMost, defineRules, finding } from '../rules/rule.js';
import { checkSupport, supportPointers } from '../rules/supporting-reference.js';
import { checkText } from '../rules/texts.js';
import { checkEstablishment } from './transport.js';

const STRUCTURE = 'Ficha técnica 2.32, anexo 3 (guía de remisión)';

const RULES = defineRules({
  'destination.lines_missing': {
    es: 'Este destinatario no recibe ninguna línea',
    en: 'No line goes to this consignee',
    reference: STRUCTURE,
  },
  'destination.line_unknown': {
    es: 'Ninguna línea tiene este número',
    en: 'No line has this number',
    reference: STRUCTURE,
  },
  'destination.line_repeated': {
    es: 'Esta línea ya va a un destinatario',
    en: 'This line goes to a consignee already',
    reference: STRUCTURE,
  },
  'destination.line_unassigned': {
    es: 'Esta línea no va a ningún destinatario',
    en: 'This line goes to no consignee',
    reference: STRUCTURE,
  },
});

/** Several consignees: each complete, and every line at exactly one of them. */
export function* checkDestinations(destinations: readonly Destination[], content: DocumentContent): Generator<Finding> {
  if (destinations.length === 0) return;
  for (const [index, destination] of destinations.entries()) {
    yield* checkDestination(destination, `/transport/destinations/${index}`, content.issueDate);
  }
  yield* atMost(checkAssignment(destinations, content));
}

function* checkDestination(destination: Destination, at: string, issueDate: string): Generator<Finding> {
  const { supportingDocument } = destination;
  yield* checkEstablishment(destination.establishment, `${at}/establishment`);
  if (supportingDocument !== null) {
    yield* checkSupport(supportingDocument, supportPointers(`${at}/supporting_document`), issueDate);
  }
  yield* checkText({ pointer: `${at}/id`, value: destination.id, max: 20, required: true });
  yield* checkText({ pointer: `${at}/name`, value: destination.name, max: 300, required: true });
  yield* checkText({ pointer: `${at}/address`, value: destination.address, max: 300, required: true });
  yield* checkText({ pointer: `${at}/reason`, value: destination.reason, max: 300, required: true });
  yield* checkText({ pointer: `${at}/route`, value: destination.route, max: 300 });
  yield* checkText({ pointer: `${at}/customs_document`, value: destination.customsDocument, max: 20 });
}

function* checkAssignment(destinations: readonly Destination[], content: DocumentContent): Generator<Finding> {
  const known = new Set(content.lines.map(({ lineNumber }) => lineNumber));
  const assigned = new Set<number>();
  for (const [index, { lineNumbers }] of destinations.entries()) {
    const at = `/transport/destinations/${index}/line_numbers`;
    if (lineNumbers.length === 0) yield finding(RULES['destination.lines_missing'], at);
    for (const [position, number] of lineNumbers.entries()) {
      if (!known.has(number)) {
        yield finding(RULES['destination.line_unknown'], `${at}/${position}`, null, String(number));
      } else if (assigned.has(number)) {
        yield finding(RULES['destination.line_repeated'], `${at}/${position}`, null, String(number));
      }
      assigned.add(number);
    }
  }
  for (const [index, { lineNumber }] of content.lines.entries()) {
    if (!assigned.has(lineNumber)) {
      yield finding(RULES['destination.line_unassigned'], `/lines/${index}/line_number`, null, String(lineNumber));
    }
  }
}
