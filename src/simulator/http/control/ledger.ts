import { z } from 'zod';
import type { SriBrain } from '../../brain/brain.js';
import { SERVICE_NAMES } from '../../brain/fault-actions.js';
import type { LedgerEntry } from '../../brain/ledger.js';
import { type ControlAnswer, ok, refused } from './answer.js';

const LISTED_ANOMALIES = 100;
const MAX_LISTED_ENTRIES = 10_000;

const filters = z.strictObject({
  access_key: z.string().optional(),
  operation: z.enum(SERVICE_NAMES).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  entries: z.coerce.number().int().min(0).max(MAX_LISTED_ENTRIES).optional(),
});

/** `GET /control/ledger`: the account of one key, or the sum of all; entries filtered. */
export function readLedger(brain: SriBrain, query: URLSearchParams): ControlAnswer {
  const parsed = filters.safeParse(Object.fromEntries(query));
  if (!parsed.success) return refused(parsed.error);
  const { access_key: accessKey, operation, since, entries: wanted } = parsed.data;
  const from = since === undefined ? null : new Date(since);
  const fits = (entry: LedgerEntry): boolean =>
    (operation === undefined || entry.service === operation) && (from === null || entry.at >= from);
  const entries = brain.ledger.list(accessKey).filter(fits);
  if (accessKey !== undefined) {
    const shown = wanted === undefined ? entries : lastOf(entries, wanted);
    return ok({ ...accountOf(brain, accessKey), entries: shown.map(entryOnWire) });
  }
  const shown = wanted ?? (operation === undefined && since === undefined ? 0 : MAX_LISTED_ENTRIES);
  return ok({ ...summaryOf(brain), entries: lastOf(entries, shown).map(entryOnWire) });
}

function accountOf(brain: SriBrain, accessKey: string): object {
  const account = brain.ledger.account(accessKey);
  const { state, annulment, history } = brain.authority.holding(accessKey);
  return {
    access_key: accessKey,
    state,
    annulment,
    authorized: history.filter((document) => document.authorized && state === 'authorized').length,
    submissions: account.submissions,
    queries: account.queries,
    consultations: account.consultations,
    digests: account.digests,
    stored_digests: account.storedDigests,
  };
}

function summaryOf(brain: SriBrain): object {
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
  };
}

function lastOf(entries: readonly LedgerEntry[], count: number): readonly LedgerEntry[] {
  return count === 0 ? [] : entries.slice(-count);
}

function entryOnWire(entry: LedgerEntry): unknown {
  const { accessKey, at, ...rest } = entry;
  return { ...rest, at: at.toISOString(), access_key: accessKey };
}
