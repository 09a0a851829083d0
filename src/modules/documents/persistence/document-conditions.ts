import { type DocumentFilter, seriesOf } from '../domain/document-filter.js';
import { isAccessKey } from '../../../sri/access-key.js';
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
    (filter.modifiedDocumentId === null ? '' : ` and d.modified_document_id = ${given.add(filter.modifiedDocumentId)}::uuid`) +
    (filter.accessKey === null ? '' : keyCondition(filter.accessKey, given))
  );
}

/**
 * The document that has this access key, or had it before it was corrected: a correction changes the date alone, with
 * which a key begins, and with it the check digit. Found through its number, by the index of numbers; its former contents
 * show whether it had that date.
 */
function keyCondition(accessKey: string, given: Parameters): string {
  const key = `${given.add(accessKey)}::text`;
  if (!isAccessKey(accessKey)) return ` and d.access_key = ${key}`;
  return ` and d.emission_point_id = any (array(
      select p.id from emission_points p join establishments e on e.tenant_id = p.tenant_id and e.id = p.establishment_id
      where p.tenant_id = $1 and e.code = substr(${key}, 25, 3) and p.code = substr(${key}, 28, 3)))
    and d.document_type = substr(${key}, 9, 2) and d.sri_environment = case substr(${key}, 24, 1) when '1' then 'TEST' else 'PRODUCTION' end
    and d.sequential = substr(${key}, 31, 9)::integer
    and substr(d.access_key, 9, 40) = substr(${key}, 9, 40)
    and (d.access_key = ${key} or exists (
      select from document_contents c
      where c.tenant_id = d.tenant_id and c.document_id = d.id and c.content ->> 'issueDate' = concat_ws('-', substr(${key}, 5, 4), substr(${key}, 3, 2), substr(${key}, 1, 2))))`;
}

/** The words somebody typed, judged row by row; `documents_meant` finds the same through indexes. */
export function wordsCondition({ text }: DocumentFilter, given: Parameters): string {
  if (text === null) return '';
  const words = given.add(text);
  const literal = [['\\', '\\\\'], ['%', '\\%'], ['_', '\\_']].reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, `search_form(${words}::text)`);
  const series = seriesOf(text);
  return ` and (d.buyer_search like '%' || ${literal} || '%' or d.buyer_id = ${words} or d.access_key = ${words}${series === null ? '' : ` or substr(d.access_key, 25, 15) = ${given.add(series)}`})`;
}
