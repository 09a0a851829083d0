import pg from 'pg';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

/** As `psql $DATABASE_OWNER_URL`, and the statements of docs/operating.md in it. */
describe('an operator whose search_path does not lead to the schema', () => {
  let database: TestDatabase;
  let service: DataSource;
  let psql: pg.Client;
  let tenant: SeededTenant;
  let document: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 1);
    psql = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=public' });
    await psql.connect();
    tenant = await seedTenant(database);
    document = (await issueBySql(service, tenant)).response.document_id;
  });
  afterAll(async () => {
    await psql.end();
    await service.destroy();
    await database.drop();
  });

  it('activates certificates, which wakes what is parked', async () => {
    await psql.query(`update sello.outbox set due_at = 'infinity' where document_id = $1`, [document]);
    await psql.query('update sello.certificates set is_active = false');
    await psql.query('update sello.certificates set is_active = true');
    expect((await psql.query('select due_at <= now() as is_due from sello.outbox')).rows).toEqual([{ is_due: true }]);
  });

  it('has a document moved, with all that follows, and is refused a wrong move and the deletion of what is kept', async () => {
    await expect(psql.query(`update sello.documents set status = 'DRAFT', version = version + 1`)).rejects.toMatchObject({ code: 'SE100' });
    await psql.query(`update sello.issuers set email_buyers = true`);
    await psql.query(`update sello.documents set buyer_name = 'José', buyer_id_type = '05', buyer_id = '1710034065', buyer_email = 'a@b.example', issue_date = issue_date - 1`);
    expect((await psql.query('select buyer_search from sello.documents')).rows).toEqual([{ buyer_search: 'jose' }]);
    await psql.query(`update sello.documents set status = 'AUTHORIZED', version = version + 1`);
    expect((await psql.query('select (select count(*)::integer from sello.buyers) as buyers, (select count(*)::integer from sello.mails) as mails')).rows).toEqual([{ buyers: 1, mails: 1 }]);
    await psql.query(`insert into sello.events (tenant_id, id, type, document_id, document_version, created_at) select tenant_id, gen_random_uuid(), 'document.authorized', id, version, now() from sello.documents`);
    expect((await psql.query(`select data -> 'document' ->> 'id' as id from sello.events`)).rows).toEqual([{ id: document }]);
    for (const table of ['document_contents', 'documents']) await expect(psql.query(`delete from sello.${table}`)).rejects.toMatchObject({ code: 'SE100' });
  });
});
