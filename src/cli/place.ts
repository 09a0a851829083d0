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
  const establishment = await first(api, `/issuers/${issuer}/establishments?page_size=1`, 'establishment');
  const point = await first(api, `/issuers/${issuer}/establishments/${establishment}/emission-points?is_active=true&page_size=1`, 'emission point');
  return { issuer_id: issuer, establishment_id: establishment, emission_point_id: point };
}

async function first(api: Api, path: string, what: string): Promise<string> {
  const { items } = await api.get<{ items: { id: string }[] }>(path);
  const [found] = items;
  if (found === undefined) throw new CliFailure('refused', `the tenant has no active ${what} yet: see docs/quick-start.md`);
  return found.id;
}
