import type { Queue } from 'bull';
import { DomainError } from '../../src/shared/domain-error.js';
import { IssueDocument } from '../../src/modules/documents/use-cases/issue-document.js';
import type { Assessed, Completed } from '../../src/modules/documents/domain/issuance.js';
import type { IssuerSnapshot } from '../../src/sri/document-types/content.js';
import type { AuthorizationAnswer } from '../../src/sri/soap/authorization.js';
import type { ReceptionAnswer } from '../../src/sri/soap/reception.js';
import type { IssuanceJob } from '../../src/platform/queue/issuance-bell.js';
import { MemoryStore } from './memory-store.js';
import type { PlantedBug } from './planted-bug.js';
import { QuickPreflight, startApi } from './programs.js';
import type { AuthorizationPort, ReceptionPort } from './sri.js';
import { type Call, type Rows, SimulatedTransaction, type Store } from './store.js';

type Json = Record<string, unknown>;
type Perform = (call: Call, execute?: (store: Store) => Rows | Promise<Rows>) => Promise<Rows>;

const HOUR = 3_600_000;

/** A transaction that treats some statements wrongly. */
function wrongly(treat: (call: Call, perform: Perform) => Promise<Rows>): typeof SimulatedTransaction {
  return class extends SimulatedTransaction {
    protected override perform(call: Call, execute?: (store: Store) => Rows | Promise<Rows>): Promise<Rows> {
      if (execute) return super.perform(call, execute);
      return treat(call, (inner, how) => super.perform(inner, how ?? ((store) => store.execute(inner))));
    }
  };
}

const memory = (store: Store): MemoryStore => {
  if (!(store instanceof MemoryStore)) throw new Error('planted bugs live in memory');
  return store;
};
const withParameter = (call: Call, index: number, value: unknown): Call => ({ ...call, parameters: call.parameters.map((old, place) => (place === index ? value : old)) });
const json = (call: Call, index: number): Json => JSON.parse(call.parameters[index] as string) as Json;
const movesOf = (call: Call): { trigger: string; to: string }[] => JSON.parse(call.parameters[6] as string) as { trigger: string; to: string }[];
const made = (call: Call, trigger: string): boolean => call.name === 'advance_document' && movesOf(call).some((move) => move.trigger === trigger);
const documentKeyOf = (call: Call): string => `${call.parameters[0] as string}/${call.parameters[1] as string}`;
/** A statement of the bug's own; nobody observes it. */
const aside = (call: Call): Call => ({ ...call, name: 'of the bug' });

/** What `issue_document` is about to store. */
function issuing(call: Call): { tenant: string; id: string; now: number; header: Json & { issuer_id: string }; content: Json; snapshot: Json; key: string | null; print: string } {
  const p = call.parameters;
  return {
    tenant: p[0] as string, id: p[2] as string, now: (p[3] as Date).getTime(), header: json(call, 4) as Json & { issuer_id: string },
    content: json(call, 5), snapshot: json(call, 6), key: p[8] as string | null, print: p[9] as string,
  };
}

function numberInOwnTransaction(call: Call, perform: Perform): Promise<Rows> {
  if (call.name !== 'issue_document') return perform(call);
  const { tenant, id, now, header, content, snapshot, key, print } = issuing(call);
  let taken: ReturnType<MemoryStore['nextNumber']>;
  return perform(aside(call), (below) => {
    const store = memory(below);
    taken = store.nextNumber(tenant, header, content, snapshot);
    store.counters.set(taken.counter, taken.sequential);
    return [];
  }).then(() =>
    perform(call, (below) => {
      const store = memory(below);
      const first = key === null ? undefined : store.keys.get(`${tenant}/${header.issuer_id}/${key}`);
      if (first) return [{ outcome: 'replayed', fingerprint: first.fingerprint, operation: first.operation, response: first.response }];
      const answer = { document_id: id, status: 'NUMBER_RESERVED', access_key: taken.accessKey };
      if (key !== null) store.keys.set(`${tenant}/${header.issuer_id}/${key}`, { operation: 'issue', fingerprint: print, document_id: id, response: answer });
      store.insertDocument(tenant, id, header, taken.sequential, taken.accessKey, key, now, content, snapshot);
      store.insertWork(tenant, id, header, taken.sequential, now);
      return [{ outcome: 'accepted', fingerprint: print, operation: 'issue', response: answer }];
    }),
  );
}

function renumbering(trigger: string) {
  return async (call: Call, perform: Perform): Promise<Rows> => {
    if (!made(call, trigger)) return perform(call);
    return perform(call, (below) => {
      const rows = below.execute(call) as Rows;
      const store = memory(below);
      const document = store.documents.get(documentKeyOf(call))!;
      const { sequential, accessKey, counter } = store.nextNumber(document.tenant_id, { ...document, issue_date: document['issue_date'] }, { numericCode: document.access_key.slice(39, 47) }, {
        ruc: document.access_key.slice(10, 23), establishmentCode: document.access_key.slice(24, 27), emissionPointCode: document.access_key.slice(27, 30),
      });
      store.counters.set(counter, sequential);
      Object.assign(document, { sequential, access_key: accessKey });
      return rows;
    });
  };
}

const returnedAs = (from: string, to: string) => (below: ReceptionPort): ReceptionPort => ({
  submit: async (signed, key): Promise<ReceptionAnswer> => {
    const answer = await below.submit(signed, key);
    if (answer.kind !== 'returned') return answer;
    return { ...answer, messages: answer.messages.map((message) => (message.identifier === from ? { ...message, identifier: to } : message)) };
  },
});

/** Mistakes that the harness must notice, by the names of the reliability plan; X ones are our own. */
export const BUGS: readonly PlantedBug[] = [
  { name: 'M1 number reserved in its own transaction', Transaction: wrongly(numberInOwnTransaction) },
  {
    name: 'M2 work enqueued before the document commits',
    Transaction: wrongly(async (call, perform) => {
      if (call.name !== 'issue_document') return perform(call);
      const { tenant, id, now, header, content, snapshot } = issuing(call);
      await perform(aside(call), (below) => {
        const store = memory(below);
        store.insertWork(tenant, id, header, store.nextNumber(tenant, header, content, snapshot).sequential, now);
        return [];
      });
      return perform(call);
    }),
  },
  {
    name: 'M3 nobody sweeps what was announced and not claimed',
    Transaction: wrongly((call, perform) => perform(call, (store) => store.execute(call.name === 'announce_going_round' ? withParameter(call, 1, 1e15) : call))),
  },
  { name: 'M4 43 counts as a refusal', reception: returnedAs('43', '35') },
  { name: 'M5 70 is sent again', reception: returnedAs('70', '50') },
  {
    name: 'M6 no entry counts as authorized',
    authorization: (below: AuthorizationPort, store: Store): AuthorizationPort => ({
      query: async (key): Promise<AuthorizationAnswer> => {
        const answer = await below.query(key);
        if (answer.kind !== 'entries' || answer.entries.length > 0) return answer;
        const comprobante = memory(store).lastSigned(key);
        return { ...answer, entries: [{ estado: 'AUTORIZADO', numeroAutorizacion: key, fechaAutorizacion: null, ambiente: 'PRUEBAS', comprobante, messages: [] }] };
      },
    }),
  },
  {
    name: 'M7 signed again for every retry',
    Transaction: wrongly((call, perform) => {
      if (!made(call, 'transient') && !made(call, 'not_found')) return perform(call);
      return perform(call, (store) => store.execute(withParameter(call, 8, JSON.stringify({ ...json(call, 8), step: 'prepare' }))));
    }),
  },
  {
    name: 'M8 the lease token is not checked',
    Transaction: wrongly((call, perform) =>
      perform(call, (store) => store.execute(call.name === 'advance_document' ? withParameter(call, 4, null) : call)),
    ),
  },
  {
    name: 'M9 event written after the commit',
    Transaction: wrongly(async (call, perform) => {
      if (call.name !== 'advance_document' || call.parameters[9] === '[]') return perform(call);
      const rows = await perform(call, (store) => store.execute(withParameter(call, 9, '[]')));
      await perform(aside(call), (below) => {
        memory(below).addEvents(documentKeyOf(call), json(call, 9) as unknown as { id: string; type: string }[]);
        return [];
      });
      return rows;
    }),
  },
  {
    name: 'M10 idempotency by SELECT, without the unique index',
    Transaction: wrongly(async (call, perform) => {
      if (call.name !== 'issue_document') return perform(call);
      const { tenant, header, key } = issuing(call);
      const name = `${tenant}/${header.issuer_id}/${String(key)}`;
      const known = await perform(aside(call), (below) => (memory(below).keys.has(name) ? [{}] : []));
      if (known.length > 0) return perform(call);
      return perform(call, (below) => {
        memory(below).keys.delete(name);
        return below.execute(call);
      });
    }),
  },
  {
    name: 'M11 days are counted in UTC',
    startApi: (ports) =>
      startApi(
        ports,
        class extends QuickPreflight {
          override assess(completed: Completed, issuer: IssuerSnapshot, now: Date): Assessed {
            return super.assess(completed, issuer, new Date(now.getTime() + 5 * HOUR));
          }
        },
      ),
  },
  { name: 'M12 a new number after a refusal', Transaction: wrongly(renumbering('refused')) },
  { name: 'M13 45 renumbers in silence', Transaction: wrongly(renumbering('sequential_taken')) },
  {
    name: 'M14 questions end after ten',
    Transaction: wrongly((call, perform) => {
      if (call.name !== 'advance_document' || call.parameters[8] === null) return perform(call);
      const asked = json(call, 7)['authorization_attempts'] as number | undefined;
      if (asked === undefined || asked <= 10) return perform(call);
      return perform(call, (store) => store.execute(withParameter(call, 8, null)));
    }),
  },
  {
    name: 'M15 a repeated job id is dropped',
    queue: (below: Queue<IssuanceJob>, seen: Set<string>): Queue<IssuanceJob> => {
      const addBulk = (jobs: { data: IssuanceJob }[]): Promise<unknown> => {
        const fresh = jobs.filter(({ data }) => !seen.has(data.documentId));
        for (const { data } of fresh) seen.add(data.documentId);
        return (below.addBulk as unknown as (jobs: unknown[]) => Promise<unknown>)(fresh);
      };
      return new Proxy(below, { get: (target, name) => (name === 'addBulk' ? addBulk : (Reflect.get(target, name) as unknown)) });
    },
  },
  {
    name: 'M16 fingerprint over the raw bytes',
    issue: async (api, tenant, body, key, raw) => {
      const first = key === null ? undefined : raw.seen.get(`${tenant.tenantId}/${key}`);
      if (first !== undefined && first !== raw.text) throw new DomainError('DUPLICATE_IDEMPOTENCY_KEY');
      const issued = await api.issue.execute(new IssueDocument(tenant, body.dto, key));
      if (key !== null) raw.seen.set(`${tenant.tenantId}/${key}`, raw.text);
      return issued;
    },
  },
  {
    name: 'M17 REJECTED absorbs a later authorization',
    isRare: true,
    Transaction: wrongly((call, perform) =>
      perform(call.parameters[2] === 'REJECTED' && made(call, 'authorized') ? withParameter(withParameter(withParameter(call, 6, '[]'), 7, '{}'), 9, '[]') : call),
    ),
  },
  {
    name: 'M18 one query forgets the tenant',
    Transaction: wrongly((call, perform) => {
      if (call.name !== 'get_document') return perform(call);
      return perform(call, (below) => {
        const owner = [...memory(below).documents.values()].find(({ id }) => id === call.parameters[1]);
        return below.execute(owner ? withParameter(call, 0, owner.tenant_id) : call);
      });
    }),
  },
  {
    name: 'M19 attempt row written after the call',
    Transaction: wrongly((call, perform) => {
      if (!made(call, 'sending')) return perform(call);
      const { attempt: _late, ...records } = json(call, 10);
      return perform(call, (store) => store.execute(withParameter(call, 10, JSON.stringify(records))));
    }),
  },
  {
    name: 'M20 totals in binary floats',
    Transaction: wrongly((call, perform) => {
      if (call.name !== 'issue_document') return perform(call);
      const header = json(call, 4);
      const total = (parseFloat(header['subtotal'] as string) * 1.15).toFixed(2);
      return perform(withParameter(call, 4, JSON.stringify({ ...header, total })));
    }),
  },
  {
    name: 'X1 sent again without asking first',
    reception: (below) => ({
      submit: async (signed, key): Promise<ReceptionAnswer> => {
        const answer = await below.submit(signed, key);
        if (answer.kind !== 'no_evidence') return answer;
        return { kind: 'returned', messages: [{ identifier: '50', message: '', additionalInfo: null, messageType: 'ERROR' }] };
      },
    }),
  },
  {
    name: 'X2 the order of an emission point is not kept',
    Transaction: wrongly((call, perform) =>
      perform(call, (below) => {
        const rows = below.execute(call);
        if (call.name === 'advance_document' || call.name === 'issue_document') for (const work of memory(below).outbox.values()) work.unsent = false;
        return rows;
      }),
    ),
  },
  {
    name: 'X3 a parked document is not resumed by a new certificate',
    Transaction: wrongly((call, perform) => {
      if (call.name !== 'advance_document' || call.parameters[8] === null || json(call, 8)['due_at'] !== 'infinity') return perform(call);
      return perform(call, (store) => store.execute(withParameter(call, 8, JSON.stringify({ ...json(call, 8), due_at: '2099-01-01T00:00:00.000Z' }))));
    }),
  },
  {
    name: 'X4 a document that was given up is never compared again',
    isRare: true,
    Transaction: wrongly((call, perform) => perform(call, (store) => store.execute(made(call, 'gave_up') ? withParameter(call, 8, null) : call))),
  },
  {
    name: 'X5 every signed document is sent at once',
    Transaction: wrongly(async (call, perform) => {
      const rows = await perform(call);
      return call.name === 'take' ? rows.map((row) => ({ ...row, clear_to_send: row['step'] === 'prepare' })) : rows;
    }),
  },
  {
    name: 'X6 sent before its signature is stored',
    Transaction: wrongly((call, perform) => {
      if (!made(call, 'sending')) return perform(call);
      const { signing: _unstored, ...records } = json(call, 10);
      return perform(call, (store) => store.execute(withParameter(call, 10, JSON.stringify(records))));
    }),
  },
  {
    name: 'X7 the question that the SRI did not answer is never asked again',
    Transaction: wrongly((call, perform) => perform(call, (store) => store.execute(call.name === 'announce_going_round' ? withParameter(call, 3, '{"authorize":0}') : call))),
  },
  {
    name: 'X8 the access key from before a correction is not asked for',
    isRare: true,
    authorization: (below, store) => ({
      query: (key): Promise<AuthorizationAnswer> =>
        [...memory(store).documents.values()].some(({ access_key }) => access_key === key) ? below.query(key) : Promise.resolve({ kind: 'entries', entries: [] }),
    }),
  },
  {
    name: 'X9 authorized with its former content, a document keeps the corrected one',
    isRare: true,
    Transaction: wrongly((call, perform) => perform(call, (store) => store.execute(call.name === 'advance_document' ? withParameter(call, 12, null) : call))),
  },
  {
    name: 'X10 what was signed before a correction counts as signed',
    isRare: true,
    Transaction: wrongly(async (call, perform) => {
      const rows = await perform(call);
      return call.name === 'take' ? rows.map((row) => ({ ...row, digests: (row['digests'] as Json[]).map((one) => ({ ...one, contentRevision: (row['document'] as Json)['content_revision'] })) })) : rows;
    }),
  },
];

export function plantedBug(name: string): PlantedBug {
  const bug = BUGS.find((one) => one.name === name);
  if (!bug) throw new Error(`no planted bug is called ${name}`);
  return bug;
}
