import { randomBytes } from 'node:crypto';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { Envelope } from '../../src/platform/secrets/envelope.js';
import { LocalKeyring } from '../../src/platform/secrets/local-keyring.js';
import { VaultTransit } from '../../src/platform/secrets/vault-transit.js';
import { rotateMasterKey } from '../../src/operations/rotate-master-key.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type SeededTenant, seedTenant } from '../support/seed.js';

const chance = new CryptoChance();
const [old, next] = [randomBytes(32), randomBytes(32)];
const oldRing = new LocalKeyring([old], chance);
const nextRing = new LocalKeyring([next], chance);
const bothRing = new LocalKeyring([next, old], chance);

describe('rotation of the master key', () => {
  let database: TestDatabase;
  const tenants: SeededTenant[] = [];
  const ownerOf = (tenant: SeededTenant) => ({ tenantId: tenant.tenantId, issuerId: tenant.issuerId, certificateId: tenant.certificateId });
  const sealedOf = async ({ certificateId }: SeededTenant): Promise<Buffer> => {
    const [row] = await database.query<{ sealed_key: Buffer }>('select sealed_key from certificates where id = $1', [certificateId]);
    return row!.sealed_key;
  };
  const rotate = async () => rotateMasterKey(database.ownerUrl, bothRing, () => undefined);

  beforeAll(async () => {
    database = await createTestDatabase();
    for (let i = 0; i < 5; i += 1) {
      const tenant = await seedTenant(database, { ruc: `17900123450${i}1` });
      tenants.push(tenant);
      const sealed = await new Envelope(oldRing, chance).seal(Buffer.from(`key ${i}`), ownerOf(tenant));
      await database.query('update certificates set sealed_key = $2 where id = $1', [tenant.certificateId, sealed]);
    }
  });
  afterAll(() => database.drop());

  it('wraps every key of every tenant anew; the older master key is no longer needed', async () => {
    expect(await rotate()).toEqual({ rotated: 5, current: 0, failed: [], inactive: 0 });
    for (const [i, tenant] of tenants.entries()) {
      expect(await new Envelope(nextRing, chance).open(await sealedOf(tenant), ownerOf(tenant))).toEqual(Buffer.from(`key ${i}`));
    }
  });

  it('changes nothing the second time', async () => {
    const before = await sealedOf(tenants[0]!);
    expect(await rotate()).toEqual({ rotated: 0, current: 5, failed: [], inactive: 0 });
    expect(await sealedOf(tenants[0]!)).toEqual(before);
  });

  it('stops while the keeper of the master key is away, and calls no secret lost', async () => {
    const told: string[] = [];
    const away = new VaultTransit('http://127.0.0.1:9/v1/transit/keys/sello', () => 'token');
    await expect(rotateMasterKey(database.ownerUrl, away, (line) => told.push(line))).rejects.toThrow(/^the master key is not reachable now \(Vault does not answer: .*\): run this again when it is/);
    expect(told).toEqual([]);
  });

  it('names what does not open, leaves it as it is, and goes on with the rest', async () => {
    const [broken, foreign, fine] = tenants as [SeededTenant, SeededTenant, SeededTenant];
    await database.query('update certificates set sealed_key = $2 where id = $1', [broken.certificateId, Buffer.from('damage')]);
    const lost = await new Envelope(new LocalKeyring([randomBytes(32)], chance), chance).seal(Buffer.from('x'), ownerOf(foreign));
    await database.query('update certificates set sealed_key = $2 where id = $1', [foreign.certificateId, lost]);
    const again = await new Envelope(oldRing, chance).seal(Buffer.from('y'), ownerOf(fine));
    await database.query('update certificates set sealed_key = $2 where id = $1', [fine.certificateId, again]);
    const { rotated, current, failed } = await rotate();
    expect([rotated, current]).toEqual([1, 2]);
    expect([...failed].sort()).toEqual([broken, foreign].map(({ tenantId, certificateId }) => `${tenantId}/${certificateId}`).sort());
    expect(await sealedOf(foreign)).toEqual(lost);
    expect(await new Envelope(nextRing, chance).open(await sealedOf(fine), ownerOf(fine))).toEqual(Buffer.from('y'));
  });

  it('counts apart what does not open of inactive certificates, which nobody signs with', async () => {
    const [broken, foreign] = tenants as [SeededTenant, SeededTenant];
    await database.query('update certificates set is_active = false where id = any ($1)', [[broken.certificateId, foreign.certificateId]]);
    const told: string[] = [];
    expect(await rotateMasterKey(database.ownerUrl, bothRing, (line) => told.push(line))).toEqual({ rotated: 0, current: 3, failed: [], inactive: 2 });
    expect(told).toContainEqual(expect.stringMatching(`^inactive certificate ${broken.tenantId}/${broken.certificateId}: `));
  });
});
