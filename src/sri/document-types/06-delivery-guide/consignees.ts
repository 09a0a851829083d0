import type { Destination, DocumentContent, DocumentLine } from '../content.js';

/** One `destinatario` of the guide with the lines that go to it. */
export interface Consignee extends Omit<Destination, 'lineNumbers'> {
  readonly lines: readonly DocumentLine[];
}

/**
 * Who receives the goods: the listed destinations, each with its lines, or the buyer
 * with all of them. The trip's route, establishment and customs declaration stand in
 * where a destination has none of its own; the buyer's supporting document is the
 * `modified_document_*` of the request. A line that several name, which is an error of
 * its own, goes to the first of them: no text comes out longer than what was given.
 */
export function consigneesOf(content: DocumentContent): readonly Consignee[] {
  const { transport } = content;
  const trip = {
    route: transport?.route ?? null,
    establishment: transport?.destinationEstablishment ?? null,
    customsDocument: transport?.customsDocument ?? null,
  };
  if (transport === null || transport.destinations.length === 0) {
    return [
      {
        ...trip,
        id: content.buyerId ?? '',
        name: content.buyerName ?? '',
        address: content.buyerAddress ?? '',
        reason: content.reason ?? '',
        supportingDocument: supportOf(content),
        lines: content.lines,
      },
    ];
  }
  const lines = linesOf(content.lines, transport.destinations);
  return transport.destinations.map(({ lineNumbers: _numbers, ...destination }, index) => ({
    ...destination,
    route: destination.route ?? trip.route,
    establishment: destination.establishment ?? trip.establishment,
    customsDocument: destination.customsDocument ?? trip.customsDocument,
    lines: lines[index] ?? [],
  }));
}

/** The lines of each destination, in their order. */
function linesOf(lines: readonly DocumentLine[], destinations: readonly Destination[]): readonly (readonly DocumentLine[])[] {
  const takenBy = new Map<number, DocumentLine[]>();
  const all = destinations.map(({ lineNumbers }) => {
    const own: DocumentLine[] = [];
    for (const number of lineNumbers) if (!takenBy.has(number)) takenBy.set(number, own);
    return own;
  });
  for (const line of lines) takenBy.get(line.lineNumber)?.push(line);
  return all;
}

function supportOf(content: DocumentContent): Consignee['supportingDocument'] {
  const { modifiedDocumentType, modifiedDocumentNumber, modifiedDocumentIssueDate } = content;
  if (modifiedDocumentType === null || modifiedDocumentNumber === null || modifiedDocumentIssueDate === null)
    return null;
  return {
    documentType: modifiedDocumentType,
    number: modifiedDocumentNumber,
    authorizationNumber: content.modifiedDocumentAuthorization ?? null,
    issueDate: modifiedDocumentIssueDate,
  };
}
