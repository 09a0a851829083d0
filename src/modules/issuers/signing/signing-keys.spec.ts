import 'reflect-metadata';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createDemoPkcs12 } from '../../../local/demo-certificate.js';
import { CryptoChance } from '../../../platform/adapters/crypto-chance.js';
import { Envelope } from '../../../platform/secrets/envelope.js';
import { LocalKeyring } from '../../../platform/secrets/local-keyring.js';
import { openPkcs12, type SigningIdentity } from '../../../sri/signing/pkcs12.js';
import { verifySignedDocument } from '../../../sri/signing/self-check.js';
import { UnsignableError } from '../../../sri/signing/xades.js';
import type { CertificatesRepository, SealedCertificate } from '../persistence/certificates.repository.js';
import { SigningKeys } from './signing-keys.js';

const chance = new CryptoChance();
const envelope = new Envelope(new LocalKeyring([randomBytes(32)], chance), chance);
const owner = { tenantId: 't', issuerId: 'i', certificateId: 'c' };
const start = new Date('2026-08-25T12:00:00Z');

/** Stored certificates by id, and how often each was read. */
class StoredCertificates {
  readonly reads: string[] = [];
  constructor(readonly rows: Map<string, SealedCertificate>) {}
  findSealed(_tenantId: string, _issuerId: string, id: string): Promise<SealedCertificate | null> {
    this.reads.push(id);
    return Promise.resolve(this.rows.get(id) ?? null);
  }
}

let identity: SigningIdentity;
let sealedKey: Buffer;

beforeAll(async () => {
  const file = await createDemoPkcs12({ ruc: '1790012345001', legalName: 'Comercial', password: 'secreto', now: start });
  identity = openPkcs12(file, 'secreto', start);
  sealedKey = await envelope.seal(identity.privateKeyPkcs8, owner);
});

function setUp() {
  const row: SealedCertificate = { certificateDer: identity.certificateDer, sealedKey };
  const stored = new StoredCertificates(new Map([['c', row], ['stolen', row]]));
  const clock = { time: start, now: () => clock.time };
  const keys = new SigningKeys(stored as unknown as CertificatesRepository, envelope, clock);
  return { stored, keys, clock, row };
}

describe('signing keys', () => {
  it('open a sealed key once for many at the same time, and sign with it', async () => {
    const { stored, keys } = setUp();
    const signers = await Promise.all(Array.from({ length: 20 }, () => keys.signerFor('t', 'i', 'c')));
    expect(stored.reads).toEqual(['c']);
    expect(new Set(signers).size).toBe(1);
    const signed = await signers[0]!.sign('<factura id="comprobante" version="1.1.0"><a>x</a></factura>', start);
    expect(verifySignedDocument(signed)).toEqual({ valid: true });
  });

  it('forget a key after five minutes', async () => {
    const { stored, keys, clock } = setUp();
    await keys.signerFor('t', 'i', 'c');
    clock.time = new Date(start.getTime() + 299_999);
    await keys.signerFor('t', 'i', 'c');
    expect(stored.reads).toHaveLength(1);
    clock.time = new Date(start.getTime() + 300_000);
    await keys.signerFor('t', 'i', 'c');
    expect(stored.reads).toHaveLength(2);
  });

  it('say when there is no such certificate, and ask again next time', async () => {
    const { stored, keys, row } = setUp();
    await expect(keys.signerFor('t', 'i', 'new')).rejects.toMatchObject({ code: 'CERTIFICATE_NOT_FOUND' });
    stored.rows.set('new', { ...row, sealedKey: await envelope.seal(identity.privateKeyPkcs8, { ...owner, certificateId: 'new' }) });
    await expect(keys.signerFor('t', 'i', 'new')).resolves.toBeDefined();
  });

  it('say that nothing is signed with what is no key, or none of the certificate', async () => {
    const { stored, keys, row } = setUp();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pkcs8 = { foreign: privateKey.export({ format: 'der', type: 'pkcs8' }), spoilt: Buffer.from('no key') };
    for (const [certificateId, key] of Object.entries(pkcs8)) {
      stored.rows.set(certificateId, { ...row, sealedKey: await envelope.seal(key, { ...owner, certificateId }) });
      await expect(keys.signerFor('t', 'i', certificateId)).rejects.toThrow(UnsignableError);
    }
    stored.rows.set('c', { ...row, certificateDer: Buffer.from('no certificate') });
    await expect(keys.signerFor('t', 'i', 'c')).rejects.toThrow(UnsignableError);
  });

  it('do not open a key that was copied from another record', async () => {
    const { keys } = setUp();
    await expect(keys.signerFor('t', 'i', 'stolen')).rejects.toThrow('does not open for this record');
    await expect(keys.signerFor('another', 'i', 'c')).rejects.toThrow('does not open for this record');
  });
});
