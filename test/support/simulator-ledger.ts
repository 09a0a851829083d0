import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Query } from './ledger-checker.js';

interface Account {
  readonly state: 'unknown' | 'in_process' | 'authorized' | 'refused';
  readonly authorized: number;
  readonly submissions: number;
  readonly queries: number;
  readonly digests: readonly string[];
  readonly stored_digests: readonly string[];
}

interface DocumentRow {
  readonly id: string;
  readonly access_key: string;
  readonly status: string;
  readonly attempts: string;
  readonly signings: readonly { readonly no: number; readonly xml: string; readonly refused: boolean }[];
}

/** States that nobody may reach without the SRI's authorization. */
export const AUTHORIZED_ONCE = ['AUTHORIZED', 'CANCELLATION_REQUESTED', 'CANCELLED', 'VOIDED_BY_NC'];
const PAGE = 500;
const AT_ONCE = 16;

/**
 * A signing counts as refused when a stored answer says so: DEVUELTA with a code
 * that is not "we have it" (43, 70), "number taken" (45) or "try again" (50), or
 * NO AUTORIZADO.
 */
const DOCUMENTS = `
  select d.id, d.access_key, d.status,
    (select count(*) from sri_attempts a where a.tenant_id = d.tenant_id and a.document_id = d.id and a.service = 'reception') as attempts,
    (select coalesce(jsonb_agg(jsonb_build_object('no', s.signing_no, 'xml', encode(s.signed_xml, 'base64'),
        'refused', exists (select from sri_attempts a where a.tenant_id = s.tenant_id and a.document_id = s.document_id and a.signing_no = s.signing_no
          and ((a.service = 'reception' and a.outcome = 'returned'
                and not exists (select from jsonb_array_elements(a.messages) m where m ->> 'identifier' in ('43', '45', '50', '70')))
            or (a.service = 'authorization' and a.outcome ~ 'NO AUTORIZADO|RECHAZAD')))) order by s.signing_no), '[]')
     from signed_documents s where s.tenant_id = d.tenant_id and s.document_id = d.id and s.access_key = d.access_key) as signings
  from documents d where d.access_key is not null and d.id > $1 order by d.id limit ${PAGE}`;

/** Holds the rows against what the SRI saw and holds (I6, I8, I12). */
export async function simulatorViolations(query: Query, simulatorUrl: string, quiescent: boolean): Promise<string[]> {
  const violations: string[] = [];
  let known = 0;
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page = await query<DocumentRow>(DOCUMENTS, [last]);
    for (let i = 0; i < page.length; i += AT_ONCE) {
      const batch = page.slice(i, i + AT_ONCE);
      const accounts = await Promise.all(batch.map((row) => accountOf(simulatorUrl, row.access_key)));
      batch.forEach((row, place) => {
        const account = accounts[place]!;
        if (account.submissions + account.queries > 0) known += 1;
        violations.push(...compare(row, account, quiescent));
      });
    }
    if (page.length < PAGE) break;
    last = page.at(-1)!.id;
  }
  const { keys } = (await (await fetch(`${simulatorUrl}/control/ledger`)).json()) as { keys: number };
  const corrected = await query('select 1 from document_history where trigger = $1 limit 1', ['corrected']);
  if (keys > known && corrected.length === 0) violations.push(`I4: the SRI was asked about ${keys} keys, the documents explain ${known}`);
  return violations;
}

async function accountOf(simulatorUrl: string, accessKey: string): Promise<Account> {
  const response = await fetch(`${simulatorUrl}/control/ledger?access_key=${accessKey}`);
  return (await response.json()) as Account;
}

function compare(row: DocumentRow, account: Account, quiescent: boolean): string[] {
  const name = `document ${row.id} (${row.status}, key ${row.access_key})`;
  const violations: string[] = [];
  const signings = row.signings.map((signing) => ({ ...signing, digest: digestOf(signing.xml) }));
  const noOf = (digest: string): number => signings.find((signing) => signing.digest === digest)?.no ?? 0;

  for (const digest of account.digests) if (noOf(digest) === 0) violations.push(`I12: ${name}: the SRI saw bytes ${digest} that are not stored`);
  const sent = signings.filter((signing) => account.digests.includes(signing.digest));
  for (const signing of sent.slice(0, -1)) {
    if (!signing.refused) violations.push(`I6: ${name}: signing ${signing.no} was replaced at the SRI without a stored refusal`);
  }
  if (account.submissions > Number(row.attempts)) {
    violations.push(`I12: ${name}: the SRI saw ${account.submissions} submissions, ${row.attempts} attempts are recorded`);
  }
  if (account.authorized > 1) violations.push(`I3: ${name} is authorized ${account.authorized} times`);
  const isAuthorized = AUTHORIZED_ONCE.includes(row.status);
  if (isAuthorized && account.authorized !== 1) violations.push(`I8: ${name}: at the SRI it is ${account.state}`);
  if (quiescent && !isAuthorized && account.state === 'authorized' && row.status !== 'MANUAL_REVIEW_REQUIRED') {
    violations.push(`I5: ${name} is authorized at the SRI`);
  }
  return violations;
}

function digestOf(gzipInBase64: string): string {
  return createHash('sha256').update(gunzipSync(Buffer.from(gzipInBase64, 'base64'))).digest('hex');
}
