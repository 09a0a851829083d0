import { z } from 'zod';
import { type SriBrain } from '../brain/brain.js';
import { InvalidFaultRule, parseFaultRules } from '../brain/fault-rules.js';
import type { LedgerEntry } from '../brain/ledger.js';

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

const LISTED_ANOMALIES = 100;
const MAX_LISTED_ENTRIES = 10_000;

const taxpayerState = z
  .strictObject({
    exists: z.boolean(),
    active: z.boolean(),
    sanctioned: z.boolean(),
    closed_establishments: z.array(z.string()),
    sanctioned_establishments: z.array(z.string()),
    class_allowed: z.boolean(),
    agreement_accepted: z.boolean(),
    enrolled_in: z.array(z.enum(['1', '2'])),
    suspended: z.boolean(),
    allowed_types: z.array(z.string()).nullable(),
  })
  .partial();

const changeableSettings = z
  .strictObject({
    environments: z.array(z.enum(['1', '2'])).min(1),
    processing_ms: z
      .strictObject({ min: z.int().min(0), max: z.int().min(0) })
      .refine(({ min, max }) => min <= max, { message: 'min must not exceed max' }),
    pending_answer: z.enum(['in_process', 'empty']),
    issue_window_days: z.int().min(0),
    discontinued_schemas: z.array(z.string()),
    signature_engine: z.enum(['xml-crypto', 'libxml2']),
    unknown_receivers: z.array(z.string()),
    revoked_certificates: z.array(z.string()),
  })
  .partial();

/**
 * The control API: what tests and operators of the simulator use. Bodies are
 * JSON with snake_case names: the ledger, the fault rules, the registry's view
 * of a RUC (a partial state replaces the former one), and a part of the settings.
 *
 * @param path after `/control/`
 */
export function control(
  brain: SriBrain,
  now: Date,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): ControlAnswer {
  const [resource, name] = path.split('/');
  switch (`${method} ${resource ?? ''}`) {
    case 'GET health':
      return ok({ status: 'ok', now: now.toISOString(), requests: brain.ledger.length });
    case 'GET ledger':
      return ok(ledger(brain, query));
    case 'GET faults':
      return ok({ rules: brain.faults.list().map(({ id, rule, seen }) => ({ id, seen, ...rule })) });
    case 'POST faults':
      return addFaults(brain, body);
    case 'DELETE faults':
      brain.faults.clear();
      return ok({ rules: [] });
    case 'PUT taxpayers':
      return setTaxpayer(brain, name ?? '', body);
    case 'PATCH settings':
      return changeSettings(brain, body);
    default:
      return { status: 404, body: { error: `no ${method} /control/${path}` } };
  }
}

function ok(body: unknown): ControlAnswer {
  return { status: 200, body };
}

function ledger(brain: SriBrain, query: URLSearchParams): unknown {
  const accessKey = query.get('access_key');
  if (accessKey !== null) {
    const account = brain.ledger.account(accessKey);
    const { state, history } = brain.authority.holding(accessKey);
    return {
      access_key: accessKey,
      state,
      authorized: history.filter((document) => document.authorized && state === 'authorized').length,
      submissions: account.submissions,
      queries: account.queries,
      digests: account.digests,
      stored_digests: account.storedDigests,
      entries: brain.ledger.list(accessKey).map(entryOnWire),
    };
  }
  const wanted = Math.min(Math.max(Number(query.get('entries') ?? 0) || 0, 0), MAX_LISTED_ENTRIES);
  const accounts = [...brain.ledger.allAccounts()];
  const keysWhere = (test: (account: (typeof accounts)[number][1]) => boolean): string[] =>
    accounts.flatMap(([key, account]) => (test(account) ? [key] : [])).slice(0, LISTED_ANOMALIES);
  return {
    requests: brain.ledger.length,
    totals: brain.ledger.totals(),
    keys: accounts.length,
    documents: brain.authority.census(),
    keys_with_several_digests: keysWhere(({ digests }) => digests.length > 1),
    keys_stored_more_than_once: keysWhere(({ storedDigests }) => storedDigests.length > 1),
    entries: wanted === 0 ? [] : brain.ledger.list().slice(-wanted).map(entryOnWire),
  };
}

function entryOnWire(entry: LedgerEntry): unknown {
  const { accessKey, at, ...rest } = entry;
  return { ...rest, at: at.toISOString(), access_key: accessKey };
}

function addFaults(brain: SriBrain, body: unknown): ControlAnswer {
  try {
    return { status: 201, body: { ids: brain.faults.addParsed(parseFaultRules(body)) } };
  } catch (error) {
    if (error instanceof InvalidFaultRule) return { status: 422, body: { error: error.message } };
    throw error;
  }
}

function setTaxpayer(brain: SriBrain, ruc: string, body: unknown): ControlAnswer {
  if (!/^\d{13}$/.test(ruc)) return { status: 422, body: { error: 'the path must end in a RUC of 13 digits' } };
  const parsed = taxpayerState.safeParse(body);
  if (!parsed.success) return refused(parsed.error);
  const taxpayers = brain.authority.currentSettings().taxpayers;
  brain.authority.configure({ taxpayers: { ...taxpayers, [ruc]: camelKeys(parsed.data) } });
  return ok({ ruc, ...parsed.data });
}

function changeSettings(brain: SriBrain, body: unknown): ControlAnswer {
  const parsed = changeableSettings.safeParse(body);
  if (!parsed.success) return refused(parsed.error);
  brain.authority.configure(camelKeys(parsed.data));
  return ok(parsed.data);
}

function refused(error: z.ZodError): ControlAnswer {
  const problems = error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  return { status: 422, body: { error: problems.join('; ') } };
}

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type CamelKeys<Values> = { [Name in keyof Values as Camel<Name>]: Values[Name] };

/** `processing_ms` to `processingMs`. */
function camelKeys<Values extends object>(values: Values): CamelKeys<Values> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  ) as CamelKeys<Values>;
}
