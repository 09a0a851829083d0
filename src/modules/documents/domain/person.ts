import { FINAL_CONSUMER } from '../../../sri/tables/documents.js';

/** A RUC without its establishment, which of a natural person is the cédula; any other identification as it is. */
export const personOf = (id: string): string => (id === FINAL_CONSUMER.id ? id : id.replace(/^(\d{10})\d{3}$/, '$1'));

/** An identification, and the others under which the same person is known: cédula, and RUC of the first establishment. */
export function idsOfPerson(id: string): readonly string[] {
  const person = personOf(id);
  return /^\d{10}$/.test(person) ? [...new Set([id, person, `${person}001`])] : [id];
}
