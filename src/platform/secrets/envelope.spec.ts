import { randomBytes } from 'node:crypto';
import { CryptoChance } from '../adapters/crypto-chance.js';
import { Envelope, EnvelopeError } from './envelope.js';

const chance = new CryptoChance();
const owner = { tenantId: 't-1', issuerId: 'i-1', certificateId: 'c-1' };
const secret = Buffer.from('the private key of somebody');
const masterKey = randomBytes(32);
const envelope = new Envelope(masterKey, chance);

describe('the envelope', () => {
  it('opens what it sealed, also in another process with the same master key', () => {
    const sealed = envelope.seal(secret, owner);
    expect(envelope.open(sealed, owner)).toEqual(secret);
    expect(new Envelope(Buffer.from(masterKey), chance).open(Uint8Array.from(sealed), owner)).toEqual(secret);
    expect(envelope.open(envelope.seal(Buffer.alloc(0), owner), owner)).toHaveLength(0);
  });

  it('hides the secret and never seals it the same way twice', () => {
    const sealed = [envelope.seal(secret, owner), envelope.seal(secret, owner)];
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
  ])('refuses a secret that was moved to another %s', (_name, other) => {
    expect(() => envelope.open(envelope.seal(secret, owner), other)).toThrow(EnvelopeError);
  });

  it('refuses a change of any single byte', () => {
    const sealed = envelope.seal(secret, owner);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => envelope.open(changed, owner)).toThrow(EnvelopeError);
    }
  });

  it('refuses a secret that is cut short or belongs to another master key', () => {
    const sealed = envelope.seal(secret, owner);
    for (const length of [0, 1, 40, sealed.length - 1]) expect(() => envelope.open(sealed.subarray(0, length), owner)).toThrow(EnvelopeError);
    expect(() => new Envelope(randomBytes(32), chance).open(sealed, owner)).toThrow('another master key');
  });

  it('cannot be mixed from two sealings: the wrapped key of one opens only its own secret', () => {
    const [a, b] = [envelope.seal(secret, owner), envelope.seal(secret, owner)];
    expect(() => envelope.open(Buffer.concat([a.subarray(0, 69), b.subarray(69)]), owner)).toThrow(EnvelopeError);
  });

  it.each([0, 16, 31, 33])('refuses a master key of %d bytes', (length) => {
    expect(() => new Envelope(Buffer.alloc(length), chance)).toThrow(EnvelopeError);
  });
});
