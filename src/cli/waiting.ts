import type { Api } from './api.js';
import { everyOne } from './pages.js';

interface Issuer {
  readonly id: string;
  readonly ruc: string;
}

interface Pause {
  readonly id: string;
  readonly scope: string;
  readonly sri_code: string;
  readonly created_at: string;
  readonly resumed_at: string | null;
}

/** What holds up documents of an issuer until a person acts. */
export interface Held {
  readonly issuer_id: string;
  readonly ruc: string;
  /** In words. */
  readonly cause: string;
  /** Documents of the issuer in the states in which they wait for it; some may wait for something else. */
  readonly documents: number;
  /** The call that lets them go on. */
  readonly act: string;
}

/** How many documents of an issuer, or of all, are in a state. */
export const countOf = async (api: Api, state: string, issuer?: string): Promise<number> =>
  (await api.get<{ total: number }>(`/documents?status=${state}&page_size=1${issuer === undefined ? '' : `&issuer_id=${issuer}`}`)).total;

/** In which a document waits that must not be sent. */
const UNSENT = ['RECEPTION_PENDING', 'RECEPTION_RETRY_SCHEDULED'];
/** In which a document waits that is to be signed, or signed anew. */
const UNSIGNED = ['NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED'];

const countIn = async (api: Api, states: readonly string[], issuer?: string): Promise<number> =>
  (await Promise.all(states.map((state) => countOf(api, state, issuer)))).reduce((total, count) => total + count, 0);

/** Open pauses, and issuers without a valid certificate whose documents wait: the states of documents alone do not tell of either. */
export async function heldUp(api: Api): Promise<Held[]> {
  const unsigned = await countIn(api, UNSIGNED);
  const held: Held[] = [];
  for (const issuer of await everyOne<Issuer>(api, '/issuers')) {
    held.push(...(await underPauses(api, issuer)));
    if (unsigned > 0) held.push(...(await withoutCertificate(api, issuer)));
  }
  return held;
}

async function underPauses(api: Api, { id, ruc }: Issuer): Promise<Held[]> {
  const open = (await everyOne<Pause>(api, `/issuers/${id}/pauses`)).filter(({ resumed_at }) => resumed_at === null);
  if (open.length === 0) return [];
  const documents = await countIn(api, UNSENT, id);
  return open.map((pause) => ({
    issuer_id: id, ruc, documents,
    cause: `paused since ${pause.created_at}: SRI ${pause.sri_code}, ${pause.scope}`,
    act: `settle the cause, then POST /issuers/${id}/pauses/${pause.id}/resume`,
  }));
}

async function withoutCertificate(api: Api, { id, ruc }: Issuer): Promise<Held[]> {
  const documents = await countIn(api, UNSIGNED, id);
  if (documents === 0) return [];
  const { items } = await api.get<{ items: { is_active: boolean; status: string }[] }>(`/issuers/${id}/certificates`);
  if (items.some(({ is_active, status }) => is_active && (status === 'active' || status === 'expiring'))) return [];
  return [{ issuer_id: id, ruc, documents, cause: 'no valid certificate', act: `POST /issuers/${id}/certificates` }];
}
