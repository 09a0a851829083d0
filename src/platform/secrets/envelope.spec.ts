import { randomBytes } from 'node:crypto';
import { CryptoChance } from '../adapters/crypto-chance.js';
import { Envelope } from './envelope.js';
import { EnvelopeError, KeyUnavailableError } from './key-wrapper.js';
import { LocalKeyring } from './local-keyring.js';

const chance = new CryptoChance();
const owner = { tenantId: 't-1', issuerId: 'i-1', certificateId: 'c-1' };
const secret = Buffer.from('the private key of somebody');
const masterKey = randomBytes(32);
const envelopeOf = (...keys: [Buffer, ...Buffer[]]): Envelope => new Envelope(new LocalKeyring(keys, chance), chance);
const envelope = envelopeOf(masterKey);

describe('the envelope', () => {
  it('opens what it sealed, also in another process with the same master key', async () => {
    const sealed = await envelope.seal(secret, owner);
    expect(await envelope.open(sealed, owner)).toEqual(secret);
    expect(await envelopeOf(Buffer.from(masterKey)).open(Uint8Array.from(sealed), owner)).toEqual(secret);
    expect(await envelope.open(await envelope.seal(Buffer.alloc(0), owner), owner)).toHaveLength(0);
  });

  it('hides the secret and never seals it the same way twice', async () => {
    const sealed = [await envelope.seal(secret, owner), await envelope.seal(secret, owner)];
    expect(sealed[0]).not.toEqual(sealed[1]);
    for (const bytes of sealed) {
      expect(bytes.includes(secret.subarray(4, 15))).toBe(false);
      expect(bytes.includes(masterKey)).toBe(false);
    }
  });

  it.each([
    ['tenant', { ...owner, tenantId: 't-2' }],
    ['issuer', { ...owner, issuerId: 'i-2' }],
    ['certificate', { ...owner, certificateId: 'c-2' }],
  ])('refuses a secret that was moved to another %s', async (_name, other) => {
    await expect(envelope.open(await envelope.seal(secret, owner), other)).rejects.toThrow(EnvelopeError);
  });

  it('refuses a change of any single byte', async () => {
    const sealed = await envelope.seal(secret, owner);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      await expect(envelope.open(changed, owner)).rejects.toThrow(EnvelopeError);
    }
  });

  it('refuses a secret that is cut short', async () => {
    const sealed = await envelope.seal(secret, owner);
    for (const length of [0, 1, 40, sealed.length - 1]) await expect(envelope.open(sealed.subarray(0, length), owner)).rejects.toThrow(EnvelopeError);
  });

  it('cannot be mixed from two sealings: the wrapped key of one opens only its own secret', async () => {
    const [a, b] = [await envelope.seal(secret, owner), await envelope.seal(secret, owner)];
    const box = secret.length + 28;
    await expect(envelope.open(Buffer.concat([a.subarray(0, -box), b.subarray(-box)]), owner)).rejects.toThrow(EnvelopeError);
  });

  describe('under another master key', () => {
    const next = randomBytes(32);

    it('does not open, but may elsewhere: that is not the secret’s fault', async () => {
      await expect(envelopeOf(next).open(await envelope.seal(secret, owner), owner)).rejects.toThrow(KeyUnavailableError);
    });

    it('opens while the older key is kept, and is then wrapped anew without being touched itself', async () => {
      const sealed = await envelope.seal(secret, owner);
      const both = envelopeOf(next, masterKey);
      expect(await both.open(sealed, owner)).toEqual(secret);
      const anew = await both.rewrap(sealed, owner);
      expect(anew?.subarray(-secret.length - 28)).toEqual(sealed.subarray(-secret.length - 28));
      expect(await envelopeOf(next).open(anew!, owner)).toEqual(secret);
      await expect(envelope.open(anew!, owner)).rejects.toThrow(KeyUnavailableError);
      expect(await both.rewrap(anew!, owner)).toBeNull();
    });

    it('is not wrapped anew for another record', async () => {
      await expect(envelopeOf(next, masterKey).rewrap(await envelope.seal(secret, owner), { ...owner, tenantId: 't-2' })).rejects.toThrow(EnvelopeError);
    });
  });
});
