import type { Api } from './api.js';
import { CliFailure } from './failure.js';

/** Where documents are issued. */
export interface Place {
  readonly issuer_id: string;
  readonly establishment_id: string;
  readonly emission_point_id: string;
}

/** So many are shown to choose from. */
const MOST_SHOWN = 5;

/**
 * The one place of the tenant where something can be issued; issuers and establishments without an emission point are passed over.
 * @throws CliFailure when it has none yet, or several: a tax document is not to go to whichever comes first
 */
export async function onlyPlace(api: Api): Promise<Place> {
  const found: Place[] = [];
  for await (const place of places(api)) {
    found.push(place);
    if (found.length > MOST_SHOWN) break;
  }
  const [place, another] = found;
  if (place === undefined) throw await missing(api);
  if (another === undefined) return place;
  const shown = found.slice(0, MOST_SHOWN).map((one) => JSON.stringify(one));
  throw new CliFailure('usage', `the tenant issues at several places: put issuer_id, establishment_id and emission_point_id into the file, such as\n${shown.join('\n')}`);
}

/**
 * The place that was set up first, as that of the demo company of `npm start` is.
 * @throws CliFailure when there is none yet
 */
export async function oldestPlace(api: Api): Promise<Place> {
  for await (const place of places(api)) return place;
  throw await missing(api);
}

/** Oldest first, though the lists begin with the newest. */
async function* places(api: Api): AsyncGenerator<Place> {
  for (const issuer of await active(api, '/issuers')) {
    for (const establishment of await active(api, `/issuers/${issuer}/establishments`)) {
      for (const point of await active(api, `/issuers/${issuer}/establishments/${establishment}/emission-points`)) {
        yield { issuer_id: issuer, establishment_id: establishment, emission_point_id: point };
      }
    }
  }
}

async function missing(api: Api): Promise<CliFailure> {
  const hasIssuer = (await active(api, '/issuers')).length > 0;
  return new CliFailure(
    'refused',
    hasIssuer ? 'no active establishment of an issuer has an active emission point: see docs/quick-start.md' : 'the tenant has no active issuer yet: see docs/quick-start.md',
  );
}

/** Ids of the active ones of a list, oldest first. */
async function active(api: Api, path: string): Promise<string[]> {
  const { items } = await api.get<{ items: { id: string }[] }>(`${path}?is_active=true&page_size=100`);
  return items.map(({ id }) => id).reverse();
}
