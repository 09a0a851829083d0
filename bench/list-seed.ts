import { randomUUID } from 'node:crypto';
import type pg from 'pg';

const DAYS = 730;
const TYPES = ['01', '04', '07', '06', '03', '05'] as const;

export interface Company {
  readonly tenantId: string;
  readonly documents: number;
}

/** Places of one company: three issuers with two establishments of two points each. */
const PLACES = `
  with issuer as (
    insert into issuers (tenant_id, id, ruc, razon_social, direccion_matriz, obligado_contabilidad, created_at, updated_at)
    select $1, gen_random_uuid(), lpad(($2 * 10 + n)::text, 10, '1') || '001', 'Comercializadora Andina ' || n || ' S.A.', 'Av. Amazonas N21-147 y Roca, Quito', true, now(), now()
    from generate_series(1, 3) n returning id
  ), establishment as (
    insert into establishments (tenant_id, id, issuer_id, code, address, created_at, updated_at)
    select $1, gen_random_uuid(), i.id, lpad(n::text, 3, '0'), 'Av. 9 de Octubre 100 y Malecón, Guayaquil', now(), now()
    from issuer i, generate_series(1, 2) n returning id
  ), point as (
    insert into emission_points (tenant_id, id, establishment_id, code, created_at, updated_at)
    select $1, gen_random_uuid(), e.id, lpad(n::text, 3, '0'), now(), now()
    from establishment e, generate_series(1, 2) n returning id
  )
  insert into sequence_counters (tenant_id, emission_point_id, document_type, environment, last_value)
  select $1, p.id, type, 'TEST', $3::integer from point p, unnest(array['${TYPES.join(`', '`)}']) type`;

/** Buyers of one company. */
const BUYERS = `
  create temporary table bench_buyers as
  select n as place, case when n % 4 = 0 then '04' else '05' end as id_type, lpad((1700000000 + n * 7919)::text, 10, '0') || case when n % 4 = 0 then '001' else '' end as id,
    name, sello.search_form(name) as search, 'compras' || n || '@ejemplo.ec' as email, 'Calle ' || n % 97 || ' N' || n % 83 || '-' || n % 411 || ' y Av. de los Shyris' as address
  from generate_series(0, $1::integer - 1) n
  cross join lateral (select
    (array['María','José','Luis','Ana','Carlos','Rosa','Jorge','Carmen','Ángel','Martha','Juan','Gloria','Víctor','Blanca','Manuel','Sofía','Segundo','Nelly','Édgar','Zoila'])[1 + n % 20] || ' ' ||
    (array['Andrade','Zambrano','Quishpe','Cedeño','Morales','Vera','Guamán','Mendoza','Chávez','Ñauta','Paredes','Macías','Toapanta','Cevallos','Yépez','Loor','Sánchez'])[1 + n / 20 % 17] || ' ' ||
    (array['Villacís','Moreira','Pilco','Alcívar','Rivadeneira','Bravo','Caiza','Intriago','Játiva','Muñoz','Salazar','Vélez','Guaraca'])[1 + n / 340 % 13] || case when n % 4 = 0 then ' Cía. Ltda.' else '' end as name) named`;

/**
 * Documents of one company in the order they came, as they lie in a table that grew for two years. One in ten goes to the
 * final consumer; of the other buyers a few buy often and most now and then.
 */
const DOCUMENTS = `
  insert into documents (tenant_id, id, issuer_id, establishment_id, emission_point_id, document_type, sri_environment, sequential, access_key, status, version,
    issue_date, subtotal, total_discount, total_tax, total, buyer_id_type, buyer_id, buyer_name, buyer_email, buyer_address, authorization_number, authorization_date,
    error_code, sri_messages, signing_no, first_sent_at, received_at, next_attempt_at, created_at, updated_at, resting_status, buyer_search)
  select $1, gen_random_uuid(), p.issuer_id, p.establishment_id, p.id, d.type, 'TEST', key.sequential, key.access_key, d.status, 7,
    d.issue_date, d.cents / 100, 0, d.cents * 15 / 10000, d.cents / 100 + d.cents * 15 / 10000,
    coalesce(b.id_type, '07'), coalesce(b.id, '9999999999999'), coalesce(b.name, 'CONSUMIDOR FINAL'), b.email, b.address,
    done.number, case when done.number is not null then d.created_at + interval '4 seconds' end,
    case when d.status = 'REJECTED' then 'SRI_REJECTED' end,
    case when d.status = 'REJECTED' then '[{"identifier": "52", "message": "ERROR EN DIFERENCIAS", "type": "ERROR", "additional_information": "Error en diferencias"}]'::jsonb else '[]' end,
    1, d.created_at + interval '1 second', d.created_at + interval '2 seconds', null, d.created_at, d.created_at + interval '4 seconds',
    case when not is_moving(d.status) then d.status end, coalesce(b.search, 'consumidor final')
  from (
    select n, drawn.*,
      case when kind < 0.78 then '01' when kind < 0.88 then '07' when kind < 0.93 then '04' when kind < 0.98 then '06' when kind < 0.99 then '03' else '05' end as type,
      case when n > $2 - $3 then case when n % 2 = 0 then 'RECEPTION_PENDING' else 'AUTHORIZATION_PENDING' end
        when fate < 0.965 then 'AUTHORIZED' when fate < 0.975 then 'CANCELLED' when fate < 0.985 then 'REJECTED' when fate < 0.99 then 'VOIDED_BY_NC'
        when fate < 0.997 then 'DRAFT' when fate < 0.999 then 'FAILED_PERMANENT' else 'MANUAL_REVIEW_REQUIRED' end as status,
      ((drawn.created_at at time zone 'America/Guayaquil')::date - case when late < 0.95 then 0 when late < 0.99 then 1 else 3 end) as issue_date
    from generate_series(1, $2::integer) n
    cross join lateral (select random() as kind, random() as fate, random() as late, (1 + random() * 50000)::numeric(12, 0) as cents,
      case when random() < 0.1 then null else floor(power(random(), 2) * (select count(*) from bench_buyers))::integer end as buyer,
      floor(random() * 12)::integer as point, timestamptz '2026-07-31 23:00:00Z' - interval '${DAYS} days' * (1 - n::double precision / $2) as created_at) drawn
  ) d
  join bench_points p on p.place = d.point
  left join bench_buyers b on b.place = d.buyer
  cross join lateral (select case when d.status <> 'DRAFT' then d.n end as sequential,
    case when d.status <> 'DRAFT' then to_char(d.issue_date, 'DDMMYYYY') || d.type || p.ruc || '1' || p.series || lpad(d.n::text, 9, '0') || '1234567813' end as access_key) key
  cross join lateral (select case when d.status in ('AUTHORIZED', 'CANCELLED', 'VOIDED_BY_NC') then key.access_key end as number) done
  order by d.n`;

const COUNTS = `
  insert into document_counts (tenant_id, created_on, issue_date, issuer_id, document_type, resting_status, documents)
  select tenant_id, utc_day(created_at), issue_date, issuer_id, document_type, resting_status, count(*)
  from documents where resting_status is not null group by 1, 2, 3, 4, 5, 6`;

const DAY_COUNTS = `
  insert into document_day_counts (tenant_id, created_on, documents) select tenant_id, created_on, sum(documents) from document_counts group by 1, 2`;

/** What the triggers would have written; checked on every document of the small companies. */
const UNLIKE_TRIGGERS = `
  select count(*)::integer as documents from documents d
  where d.tenant_id <> $1 and (d.resting_status is distinct from case when not is_moving(d.status) then d.status end or d.buyer_search <> search_form(d.buyer_name))`;

/**
 * Companies with so many documents over two years, in all types, states and places, as if they had been issued: triggers
 * and indexes are passed by while rows are written and made up for.
 * @returns one company for each size
 */
export async function seed(owner: pg.Client, sizes: readonly number[], moving: number): Promise<Company[]> {
  await owner.query(`set session_replication_role = replica; set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set timezone = 'UTC'; select setseed(0.5)`);
  const { rows: indexes } = await owner.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'documents'::regclass and not indisprimary`,
  );
  for (const { name } of indexes) await owner.query(`drop index ${name}`);
  const companies: Company[] = [];
  for (const documents of sizes) {
    const tenantId = randomUUID();
    await owner.query('insert into tenants (id, name, created_at) values ($1, $2, now())', [tenantId, `Empresa ${companies.length + 1}`]);
    // Its key has the tenant's id.
    await owner.query(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, $1, 'bench', 'svc_test_', sha256($1::uuid::text::bytea), 'TEST', now())`,
      [tenantId],
    );
    await owner.query(PLACES, [tenantId, companies.length + 1, documents]);
    await owner.query('drop table if exists bench_buyers, bench_points');
    await owner.query(BUYERS.replace('$1', String(Math.max(10, Math.round(documents / 50)))));
    await owner.query(`create temporary table bench_points as
      select row_number() over (order by i.ruc, e.code, p.code) - 1 as place, p.id, e.id as establishment_id, i.id as issuer_id, i.ruc, e.code || p.code as series
      from emission_points p join establishments e on (e.tenant_id, e.id) = (p.tenant_id, p.establishment_id) join issuers i on (i.tenant_id, i.id) = (e.tenant_id, e.issuer_id)
      where p.tenant_id = '${tenantId}'; analyze bench_buyers; analyze bench_points`);
    await owner.query(DOCUMENTS, [tenantId, documents, companies.length === 0 ? moving : 0]);
    companies.push({ tenantId, documents });
  }
  for (const { definition } of indexes) await owner.query(definition);
  await owner.query(COUNTS);
  await owner.query(DAY_COUNTS);
  await owner.query('reset session_replication_role');
  await owner.query('vacuum analyze');
  await check(owner, companies);
  return companies;
}

async function check(owner: pg.Client, [largest, ...others]: readonly Company[]): Promise<void> {
  const { rows } = await owner.query<{ documents: number }>(UNLIKE_TRIGGERS, [largest?.tenantId]);
  if (rows[0]?.documents !== 0 || others.length === 0) throw new Error(`${rows[0]?.documents} documents are not as the triggers would have left them`);
}
