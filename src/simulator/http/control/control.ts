import { z } from 'zod';
import type { SriBrain } from '../../brain/brain.js';
import { SERVICE_NAMES } from '../../brain/fault-actions.js';
import { InvalidFaultRule, parseFaultRules } from '../../brain/fault-rules.js';
import { OUTAGE_KINDS } from '../../brain/outages.js';
import type { PortalAnswer } from '../../brain/portal.js';
import type { VirtualClock } from '../../virtual-clock.js';
import { type ControlAnswer, ok, refused } from './answer.js';
import { readLedger } from './ledger.js';
import { changeSettings, setTaxpayer } from './settings.js';

interface ControlRequest {
  readonly brain: SriBrain;
  readonly clock: VirtualClock;
  /** What stands in the path where the pattern has a name in braces. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After `/control/`; at most one part in braces. */
  readonly path: string;
  readonly meaning: string;
  handle(request: ControlRequest): ControlAnswer;
}

const service = z.strictObject({ up: z.boolean(), how: z.enum(OUTAGE_KINDS).default('unavailable') });
const instant = z.strictObject({ now: z.iso.datetime({ offset: true }) });
const span = z.strictObject({ seconds: z.number().min(-1e9).max(1e9) });

const portalAct = z.strictObject({ act: z.enum(['annul', 'accept', 'refuse']) });

/** The control API: what tests and operators of the simulator use. Bodies are JSON with snake_case names. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: 'health',
    meaning: 'that it runs, its time, the number of requests so far',
    handle: ({ brain, clock }) => ok({ status: 'ok', now: clock.now().toISOString(), requests: brain.ledger.length }),
  },
  {
    method: 'GET',
    path: 'ledger',
    meaning:
      'totals over all requests; `?access_key=` the account of one key and its entries; `&operation=reception`, `authorization`, `consultation` or `registry`, `&since=` an ISO instant and `&entries=` a number filter them. An entry has time (`at`), digest of the bytes, answer (`outcome`, `codes`), whether it stored the document, and the fault that interfered',
    handle: ({ brain, query }) => readLedger(brain, query),
  },
  {
    method: 'GET',
    path: 'faults',
    meaning: 'the fault rules and how many requests each has seen',
    handle: ({ brain }) => ok({ rules: brain.faults.list().map(({ id, rule, seen }) => ({ id, seen, ...rule })) }),
  },
  {
    method: 'POST',
    path: 'faults',
    meaning: 'adds one rule, or several as `{"rules": [...]}`; answers their ids',
    handle: ({ brain, body }) => addFaults(brain, body),
  },
  {
    method: 'DELETE',
    path: 'faults',
    meaning: 'removes all rules',
    handle: ({ brain }) => {
      brain.faults.clear();
      return ok({ rules: [] });
    },
  },
  {
    method: 'DELETE',
    path: 'faults/{id}',
    meaning: 'removes one rule',
    handle: ({ brain, name }) =>
      brain.faults.remove(Number(name)) ? ok({ id: Number(name) }) : { status: 404, body: { error: `no rule ${name}` } },
  },
  {
    method: 'GET',
    path: 'services',
    meaning: 'which of the services are up',
    handle: ({ brain }) => ok(services(brain)),
  },
  {
    method: 'PUT',
    path: 'services/{service}',
    meaning: `\`{"up": false, "how": ...}\` takes one service down, the others stay: ${OUTAGE_KINDS.join(', ')} (503 page, connection reset, no answer); \`{"up": true}\` ends it`,
    handle: ({ brain, name, body }) => setService(brain, name, body),
  },
  {
    method: 'GET',
    path: 'clock',
    meaning: 'the simulator’s time and how many seconds it is ahead of the host’s',
    handle: ({ clock }) => time(clock),
  },
  {
    method: 'POST',
    path: 'clock/advance',
    meaning: '`{"seconds": 3600}` moves its time, so that what is in process is decided and deadlines pass',
    handle: ({ clock, body }) => {
      const parsed = span.safeParse(body);
      if (!parsed.success) return refused(parsed.error);
      clock.advance(parsed.data.seconds * 1000);
      return time(clock);
    },
  },
  {
    method: 'PUT',
    path: 'clock',
    meaning: '`{"now": "2026-09-08T12:00:00-05:00"}`: it goes on from there',
    handle: ({ clock, body }) => {
      const parsed = instant.safeParse(body);
      if (!parsed.success) return refused(parsed.error);
      clock.setTo(new Date(parsed.data.now));
      return time(clock);
    },
  },
  {
    method: 'DELETE',
    path: 'clock',
    meaning: 'back to the host’s time',
    handle: ({ clock }) => {
      clock.reset();
      return time(clock);
    },
  },
  {
    method: 'POST',
    path: 'portal/{access_key}',
    meaning:
      '`{"act": "annul"}`: the issuer asks for the annulment in the portal; `accept`, `refuse`: the receiver of a 04, 05 or 07 answers while it is pending',
    handle: ({ brain, name, body }) => {
      const parsed = portalAct.safeParse(body);
      if (!parsed.success) return refused(parsed.error);
      const { act } = parsed.data;
      return portalAnswer(act === 'annul' ? brain.authority.annul(name) : brain.authority.answerAnnulment(name, act === 'accept'));
    },
  },
  {
    method: 'PUT',
    path: 'taxpayers/{ruc}',
    meaning: 'what the registry holds about a RUC; what is left out is healthy',
    handle: ({ brain, name, body }) => setTaxpayer(brain, name, body),
  },
  {
    method: 'PATCH',
    path: 'settings',
    meaning: 'changes the behaviour of all from now on',
    handle: ({ brain, body }) => changeSettings(brain, body),
  },
];

const COMPILED = CONTROL_ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/\{\w+\}/, '([^/]+)')}$`),
}));

/** @param path after `/control/` */
export function control(
  brain: SriBrain,
  clock: VirtualClock,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): ControlAnswer {
  for (const { route, pattern } of COMPILED) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match) return route.handle({ brain, clock, name: match[1] ?? '', query, body });
  }
  return { status: 404, body: { error: `no ${method} /control/${path}` } };
}

function addFaults(brain: SriBrain, body: unknown): ControlAnswer {
  try {
    return ok({ ids: brain.faults.addParsed(parseFaultRules(body)) }, 201);
  } catch (error) {
    if (error instanceof InvalidFaultRule) return refused(error.message);
    throw error;
  }
}

function services(brain: SriBrain): object {
  return Object.fromEntries(
    SERVICE_NAMES.map((name) => {
      const how = brain.outages.of(name);
      return [name, how === null ? { up: true } : { up: false, how }];
    }),
  );
}

function setService(brain: SriBrain, name: string, body: unknown): ControlAnswer {
  const wanted = SERVICE_NAMES.find((candidate) => candidate === name);
  if (wanted === undefined) return refused(`the path must end in ${SERVICE_NAMES.join(', ')}`);
  const parsed = service.safeParse(body);
  if (!parsed.success) return refused(parsed.error);
  if (parsed.data.up) brain.outages.bringUp(wanted);
  else brain.outages.takeDown(wanted, parsed.data.how);
  return ok(services(brain));
}

function time(clock: VirtualClock): ControlAnswer {
  return ok({ now: clock.now().toISOString(), ahead_seconds: clock.offsetMs / 1000 });
}

/** 409 when the portal does not do it. */
function portalAnswer(answer: PortalAnswer): ControlAnswer {
  if (!answer.done) return { status: 409, body: { error: answer.reason } };
  return ok({ annulment: answer.state, accept_before: answer.acceptBefore?.toISOString() ?? null });
}
