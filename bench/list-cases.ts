import type pg from 'pg';
import type { DocumentFilter } from '../src/modules/documents/domain/document-filter.js';
import type { DocumentStatus } from '../src/modules/documents/domain/lifecycle.js';
import { printedNumber } from '../src/sri/access-key.js';

export const PAGE_SIZE = 20;
const EVERYTHING: DocumentFilter = { status: null, documentType: null, issuerId: null, buyerId: null, issuedFrom: null, issuedTo: null, accessKey: null, modifiedDocumentId: null, text: null };

/** One way to look at a list; what it asks for changes from call to call. */
export interface Case {
  readonly name: string;
  ask(call: number): { readonly filter: DocumentFilter; readonly page: number };
  /** Documents it finds; left out: some. */
  readonly total?: number;
}

interface Sample {
  readonly id: string;
  readonly access_key: string;
  readonly buyer_id: string;
  readonly buyer_name: string;
  readonly issuer_id: string;
  readonly document_type: string;
  readonly status: DocumentStatus;
  readonly day: string;
  readonly until: string;
}

/** Documents of all ages, whose features the filters look for. */
async function sample(owner: pg.Client, tenantId: string): Promise<Sample[]> {
  const { rows } = await owner.query<Sample>(
    `select id, access_key, buyer_id, buyer_name, issuer_id, document_type, status, issue_date::text as day, (issue_date + 30)::text as until
     from documents where tenant_id = $1 and access_key is not null and buyer_id_type <> '07' order by md5(id::text) limit 500`,
    [tenantId],
  );
  return rows;
}

export interface Cases {
  readonly cases: readonly Case[];
  /** Ids of documents of all ages. */
  readonly ids: readonly string[];
}

/** Every way to look at the documents of a tenant with `documents` of them. */
export async function casesOf(owner: pg.Client, tenantId: string, documents: number): Promise<Cases> {
  const samples = await sample(owner, tenantId);
  const at = (call: number): Sample => {
    const found = samples[call % samples.length];
    if (found === undefined) throw new Error('no documents to look for');
    return found;
  };
  const page = (name: string, number: number): Case => ({ name, total: documents, ask: () => ({ filter: EVERYTHING, page: number }) });
  const filter = (name: string, narrow: (one: Sample, call: number) => Partial<DocumentFilter>, number = 1): Case => ({
    name,
    ask: (call) => ({ filter: { ...EVERYTHING, ...narrow(at(call), call) }, page: number }),
  });
  const last = Math.ceil(documents / PAGE_SIZE);
  const statuses = ['AUTHORIZED', 'REJECTED', 'DRAFT', 'CANCELLED', 'RECEPTION_PENDING'] as const;
  const types = ['01', '04', '07', '06', '03', '05'];
  const number = ({ access_key: key }: Sample): string => printedNumber(key);
  return {
    ids: samples.map(({ id }) => id),
    cases: [
      page('page 1', 1),
      page('page 2', 2),
      page(`page ${last.toLocaleString('en')}, the last`, last),
      ...statuses.map((status) => filter(`status ${status}`, () => ({ status }))),
      filter('status AUTHORIZED, page 1,000', () => ({ status: 'AUTHORIZED' }), Math.min(1_000, Math.ceil(last / 2))),
      filter('document_type, each', (_, call) => ({ documentType: types[call % types.length] ?? null })),
      filter('issuer_id', ({ issuer_id }) => ({ issuerId: issuer_id })),
      filter('buyer_id, any', ({ buyer_id }) => ({ buyerId: buyer_id })),
      filter('buyer_id, final consumer (1 in 10)', () => ({ buyerId: '9999999999999' })),
      filter('issue dates, a month', ({ day, until }) => ({ issuedFrom: day, issuedTo: until })),
      filter('issue dates, from a day on', ({ day }) => ({ issuedFrom: day })),
      filter('access_key', ({ access_key }) => ({ accessKey: access_key })),
      filter('q, a whole name', ({ buyer_name }) => ({ text: buyer_name.slice(2).toUpperCase() })),
      filter('q, a surname (1 in 20)', () => ({ text: 'quishpe' })),
      filter('q, a number', (one) => ({ text: number(one) })),
      filter('q, an identifier', ({ buyer_id }) => ({ text: buyer_id })),
      filter('type, issuer, status and month', ({ document_type, issuer_id, status, day, until }) => ({ documentType: document_type, issuerId: issuer_id, status, issuedFrom: day, issuedTo: until })),
    ],
  };
}
