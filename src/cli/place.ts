import type { Api } from './api.js';
import { CliFailure } from './failure.js';

/** Where documents are issued. */
export interface Place {
  readonly issuer_id: string;
  readonly establishment_id: string;
  readonly emission_point_id: string;
}

/**
 * The first place of the tenant where something can be issued; an issuer that was added and has no place yet is passed over.
 * @throws CliFailure when it has none yet
 */
export async function firstPlace(api: Api): Promise<Place> {
  const issuers = await active(api, '/issuers', 100);
  if (issuers.length === 0) throw new CliFailure('refused', 'the tenant has no active issuer yet: see docs/quick-start.md');
  for (const issuer of issuers) {
    for (const establishment of await active(api, `/issuers/${issuer}/establishments`, 100)) {
      const [point] = await active(api, `/issuers/${issuer}/establishments/${establishment}/emission-points`, 1);
      if (point !== undefined) return { issuer_id: issuer, establishment_id: establishment, emission_point_id: point };
    }
  }
  throw new CliFailure('refused', 'no active establishment of an issuer has an active emission point: see docs/quick-start.md');
}

/** Ids of the first active ones of a list. */
async function active(api: Api, path: string, most: number): Promise<string[]> {
  const { items } = await api.get<{ items: { id: string }[] }>(`${path}?is_active=true&page_size=${most}`);
  return items.map(({ id }) => id);
}
