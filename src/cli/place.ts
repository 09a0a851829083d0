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
  const found: Named[] = [];
  for await (const one of places(api)) {
    found.push(one);
    if (found.length > MOST_SHOWN) break;
  }
  const [only, another] = found;
  if (only === undefined) throw await missing(api);
  if (another === undefined) return only.place;
  const shown = found.slice(0, MOST_SHOWN).map(({ name, place }) => `${name} ${JSON.stringify(place)}`);
  if (found.length > MOST_SHOWN) shown.push('and more');
  throw new CliFailure('usage', `the tenant issues at several places: put issuer_id, establishment_id and emission_point_id into the file, such as\n${shown.join('\n')}`);
}

/**
 * The place that was set up first among the newest hundred, as that of the demo company of `npm start` is.
 * @throws CliFailure when there is none yet
 */
export async function oldestPlace(api: Api): Promise<Place> {
  for await (const { place } of places(api)) return place;
  throw await missing(api);
}

interface Named {
  /** `1790012345001 001-002`. */
  readonly name: string;
  readonly place: Place;
}

interface Listed {
  readonly id: string;
  readonly ruc?: string;
  readonly code?: string;
}

async function* places(api: Api): AsyncGenerator<Named> {
  for (const issuer of await active(api, '/issuers')) {
    for (const establishment of await active(api, `/issuers/${issuer.id}/establishments`)) {
      for (const point of await active(api, `/issuers/${issuer.id}/establishments/${establishment.id}/emission-points`)) {
        yield { name: `${issuer.ruc} ${establishment.code}-${point.code}`, place: { issuer_id: issuer.id, establishment_id: establishment.id, emission_point_id: point.id } };
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

/** The active ones of a list, oldest first, though the list begins with the newest. */
async function active(api: Api, path: string): Promise<Listed[]> {
  const { items } = await api.get<{ items: Listed[] }>(`${path}?is_active=true&page_size=100`);
  return items.reverse();
}
