import { type DocumentFilter, seriesOf } from '../domain/document-filter.js';
import { isMoving } from '../domain/lifecycle.js';
import type { Parameters } from './parameters.js';

/** Conditions on the columns that documents `d` and their counts `c` share. */
export function sharedConditions(alias: 'c' | 'd', filter: DocumentFilter, given: Parameters): string {
  return [
    filter.documentType === null ? '' : ` and ${alias}.document_type = ${given.add(filter.documentType)}`,
    filter.issuerId === null ? '' : ` and ${alias}.issuer_id = ${given.add(filter.issuerId)}::uuid`,
    filter.issuedFrom === null ? '' : ` and ${alias}.issue_date >= ${given.add(filter.issuedFrom)}::date`,
    filter.issuedTo === null ? '' : ` and ${alias}.issue_date <= ${given.add(filter.issuedTo)}::date`,
  ].join('');
}

/** Condition on the status of documents `d`, in the words of the index that serves it. */
export function statusCondition({ status }: DocumentFilter, given: Parameters): string {
  if (status === null) return '';
  return isMoving(status) ? ` and d.resting_status is null and d.status = ${given.add(status)}` : ` and d.resting_status = ${given.add(status)}`;
}

/** Every condition on documents `d` but the words somebody typed. */
export function documentConditions(filter: DocumentFilter, given: Parameters): string {
  return (
    statusCondition(filter, given) +
    sharedConditions('d', filter, given) +
    (filter.buyerId === null ? '' : ` and d.buyer_id = ${given.add(filter.buyerId)}`) +
    (filter.accessKey === null ? '' : ` and d.access_key = ${given.add(filter.accessKey)}`)
  );
}

/** The words somebody typed, judged row by row; `documents_meant` finds the same through indexes. */
export function wordsCondition({ text }: DocumentFilter, given: Parameters): string {
  if (text === null) return '';
  const words = given.add(text);
  const literal = [['\\', '\\\\'], ['%', '\\%'], ['_', '\\_']].reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, `search_form(${words}::text)`);
  const series = seriesOf(text);
  return ` and (d.buyer_search like '%' || ${literal} || '%' or d.buyer_id = ${words} or d.access_key = ${words}${series === null ? '' : ` or substr(d.access_key, 25, 15) = ${given.add(series)}`})`;
}
