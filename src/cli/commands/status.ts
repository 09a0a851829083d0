import { type Api, bodyOf } from '../api.js';
import { type DocumentSeen, documentLines, ENDS_BADLY } from '../document.js';
import { CliFailure } from '../failure.js';
import { columns, type Output } from '../output.js';
import { countOf, type Held, heldUp } from '../waiting.js';

/** A move of the document, or a call of the SRI about it. */
type Happening =
  | { readonly kind: 'move'; readonly at: string; readonly trigger: string; readonly to_status: string }
  | { readonly kind: 'sri_call'; readonly at: string; readonly service: string; readonly outcome: string | null };

const WAITING = ['RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN', 'AUTHORIZATION_UNKNOWN'];

/** `sello status [DOCUMENT]`: what a document went through, or how the service and the tenant stand. */
export async function status(api: Api, output: Output, document: string | undefined): Promise<void> {
  await (document === undefined ? statusOfAll(api, output) : statusOf(api, output, await idOf(api, document)));
}

async function statusOf(api: Api, output: Output, id: string): Promise<void> {
  const document = await api.get<DocumentSeen>(`/documents/${id}`);
  const items = document.access_key === null ? [] : (await api.get<{ items: Happening[] }>(`/documents/${id}/history`)).items;
  const rows = items.map((one) => (one.kind === 'move' ? ['', one.at, one.trigger, one.to_status] : ['', one.at, `SRI ${one.service}`, one.outcome ?? 'no answer yet']));
  output.tell({ ...document, history: items }, [...documentLines(document), ...(rows.length > 0 ? ['  history', ...columns(rows)] : [])]);
}

/** By id, or by access key. */
async function idOf(api: Api, document: string): Promise<string> {
  if (!/^\d{49}$/.test(document)) return document;
  const { items } = await api.get<{ items: { id: string }[] }>(`/documents?access_key=${document}`);
  const [found] = items;
  if (found === undefined) throw new CliFailure('refused', 'the tenant has no document of this access key');
  return found.id;
}

/** A proxy in front of a service that is away answers with a page of its own. */
function readable(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** How the tenant stands. */
interface Standing {
  /** How many are in each state that somebody may have to look at. */
  readonly documents: Readonly<Record<string, number>>;
  readonly held: readonly Held[];
}

async function standingOf(api: Api): Promise<Standing> {
  const documents = Object.fromEntries(await Promise.all([...ENDS_BADLY, ...WAITING].map(async (state) => [state, await countOf(api, state)] as const)));
  return { documents, held: await heldUp(api) };
}

/** Whether the service is ready is told in any case: while PostgreSQL is away, it is all that the service can say. */
async function statusOfAll(api: Api, output: Output): Promise<void> {
  const response = await api.open('GET', '/health/ready');
  const ready = readable(await bodyOf(response));
  const standing = await standingOf(api).catch(failureOf);
  const known = standing instanceof CliFailure ? null : standing;
  output.tell({ url: api.connection.url, ready: response.ok, checks: ready, documents: known?.documents ?? null, held_up: known?.held ?? null }, [
    `${api.connection.url}  ${response.ok ? 'ready' : 'NOT READY'}  ${JSON.stringify(ready)}`,
    ...(known === null ? ['documents: unknown'] : linesOf(known)),
  ]);
  if (!response.ok) throw new CliFailure('unanswered', ['the service is not ready', ...(standing instanceof CliFailure ? [standing.message] : [])].join('\n'));
  if (standing instanceof CliFailure) throw standing;
}

function failureOf(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  throw error;
}

const linesOf = ({ documents, held }: Standing): string[] => [
  ...columns(Object.entries(documents).map(([state, count]) => [state, String(count)])),
  ...held.flatMap(({ ruc, cause, documents: waiting, act }) => [`${ruc} ${cause}; documents that wait: ${waiting}`, `  ${act}`]),
];
