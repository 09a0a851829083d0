import type { Api } from './api.js';
import { CliFailure } from './failure.js';

/** Where documents are issued. */
export interface Place {
  readonly issuer_id: string;
  readonly establishment_id: string;
  readonly emission_point_id: string;
}

/**
 * The first place of the tenant where something can be issued.
 * @throws CliFailure when it has none yet
 */
export async function firstPlace(api: Api): Promise<Place> {
  const issuer = await first(api, '/issuers?is_active=true&page_size=1', 'issuer');
  const { items } = await api.get<{ items: { id: string }[] }>(`/issuers/${issuer}/establishments?is_active=true&page_size=100`);
  for (const { id } of items) {
    const points = await api.get<{ items: { id: string }[] }>(`/issuers/${issuer}/establishments/${id}/emission-points?is_active=true&page_size=1`);
    const [point] = points.items;
    if (point !== undefined) return { issuer_id: issuer, establishment_id: id, emission_point_id: point.id };
  }
  throw new CliFailure('refused', 'no active establishment of the issuer has an active emission point: see docs/quick-start.md');
}

async function first(api: Api, path: string, what: string): Promise<string> {
  const { items } = await api.get<{ items: { id: string }[] }>(path);
  const [found] = items;
  if (found === undefined) throw new CliFailure('refused', `the tenant has no active ${what} yet: see docs/quick-start.md`);
  return found.id;
}
