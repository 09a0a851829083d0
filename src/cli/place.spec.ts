import type { Api } from './api.js';
import { CliFailure } from './failure.js';
import { firstPlace } from './place.js';

/** A tenant by what stands below each of its issuers: the emission points of every establishment. */
function tenant(issuers: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>): Api {
  const list = (ids: readonly string[]): unknown => ({ items: ids.map((id) => ({ id })) });
  const get = (path: string): Promise<unknown> => {
    expect(path).toMatch(/\?is_active=true&/);
    const [, , issuer, , establishment] = path.split('?')[0]?.split('/') ?? [];
    if (issuer === undefined) return Promise.resolve(list(Object.keys(issuers)));
    const places = issuers[issuer] ?? {};
    return Promise.resolve(list(establishment === undefined ? Object.keys(places) : (places[establishment] ?? [])));
  };
  return { get } as unknown as Api;
}

describe('the place that a command takes when none is named', () => {
  it('is the first emission point, past issuers and establishments that have none', async () => {
    const api = tenant({ new: {}, planned: { '002': [] }, old: { '003': [], '001': ['point', 'other'] } });
    expect(await firstPlace(api)).toEqual({ issuer_id: 'old', establishment_id: '001', emission_point_id: 'point' });
  });

  it.each([
    ['no issuer', {}, 'the tenant has no active issuer yet'],
    ['no emission point', { new: {}, planned: { '002': [] } }, 'no active establishment of an issuer has an active emission point'],
  ])('is missing where the tenant has %s', async (_what, issuers, message) => {
    await expect(firstPlace(tenant(issuers))).rejects.toThrow(CliFailure);
    await expect(firstPlace(tenant(issuers))).rejects.toThrow(message);
  });
});
