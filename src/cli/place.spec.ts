import type { Api } from './api.js';
import { CliFailure } from './failure.js';
import { oldestPlace, onlyPlace } from './place.js';

/** A tenant by what stands below each of its issuers: the emission points of every establishment. */
function tenant(issuers: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>): Api {
  const list = (ids: readonly string[]): unknown => ({ items: ids.map((id) => ({ id, ruc: `ruc of ${id}`, code: `code ${id}` })) });
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
  it('is the only emission point, past issuers and establishments that have none', async () => {
    const api = tenant({ new: {}, planned: { '002': [] }, old: { '003': [], '001': ['point'] } });
    expect(await onlyPlace(api)).toEqual({ issuer_id: 'old', establishment_id: '001', emission_point_id: 'point' });
  });

  it('is chosen by whoever issues where there are several, and the oldest where nothing depends on it', async () => {
    const api = tenant({ new: { '001': ['a', 'b'] }, old: { '002': ['c'], '001': ['d', 'e', 'f', 'g'] } });
    await expect(onlyPlace(api)).rejects.toThrow(/several places: put issuer_id.*\nruc of old code 001-code g \{"issuer_id":"old","establishment_id":"001","emission_point_id":"g"\}(\nruc of .* \{.*\}){4}\nand more$/);
    expect(await oldestPlace(api)).toEqual({ issuer_id: 'old', establishment_id: '001', emission_point_id: 'g' });
  });

  it.each([
    ['no issuer', {}, 'the tenant has no active issuer yet'],
    ['no emission point', { new: {}, planned: { '002': [] } }, 'no active establishment of an issuer has an active emission point'],
  ])('is missing where the tenant has %s', async (_what, issuers, message) => {
    for (const place of [onlyPlace, oldestPlace]) {
      await expect(place(tenant(issuers))).rejects.toThrow(CliFailure);
      await expect(place(tenant(issuers))).rejects.toThrow(message);
    }
  });
});
