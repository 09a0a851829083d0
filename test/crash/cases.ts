import type { SeededRandom } from '../support/seeded-random.js';

export type Action = 'kill9' | 'throw' | 'hang' | 'commit-ack-lost';

interface Point {
  readonly name: string;
  readonly process: 'api' | 'worker';
  /** The fault waits for one document; otherwise it strikes the process as a whole, at its first pass. */
  readonly tied: boolean;
  /** Stands right behind a commit, whose acknowledgement may be lost. */
  readonly afterCommit?: true;
  /** Passed only by a document that waits for an earlier number of its emission point. */
  readonly behindAnother?: true;
}

/** Between any two steps of a document's way; the name says what had happened. */
export const POINTS: readonly Point[] = [
  { name: 'before-reserve-commit', process: 'api', tied: true },
  { name: 'after-reserve-commit', process: 'api', tied: true, afterCommit: true },
  { name: 'before-relay', process: 'worker', tied: false },
  { name: 'after-queue-add', process: 'worker', tied: false },
  { name: 'after-claim', process: 'worker', tied: true },
  { name: 'after-xml', process: 'worker', tied: true },
  { name: 'after-sign', process: 'worker', tied: true },
  { name: 'after-signed-commit', process: 'worker', tied: true, afterCommit: true, behindAnother: true },
  { name: 'after-attempt', process: 'worker', tied: true, afterCommit: true },
  { name: 'after-reception-answer', process: 'worker', tied: true },
  { name: 'after-reception-commit', process: 'worker', tied: true, afterCommit: true },
  { name: 'after-auth-answer', process: 'worker', tied: true },
  { name: 'after-auth-commit', process: 'worker', tied: true, afterCommit: true },
  { name: 'before-ack', process: 'worker', tied: false },
];

/** Points behind which the SRI's answer to reception is stored: nothing may be sent again. */
const SENT_AND_STORED = ['after-reception-commit', 'after-auth-answer', 'after-auth-commit'];

/** What the SRI does with a document, as rules of the simulator for one taxpayer, and where that must lead. */
export const BEHAVIOURS = {
  accept: { rules: [], end: 'AUTHORIZED' },
  'accept, answer lost': {
    rules: [{ match: { service: 'reception' }, per_key: true, action: { kind: 'reset', phase: 'after' } }],
    end: 'AUTHORIZED',
  },
  refuse: { rules: [{ match: { service: 'reception' }, times: null, action: { kind: 'refuse', code: '52', at: 'authorization' } }], end: 'REJECTED' },
  '43': {
    rules: [{ match: { service: 'reception' }, per_key: true, action: { kind: 'refuse', code: '43', at: 'reception', stored: true } }],
    end: 'AUTHORIZED',
  },
  '70': {
    rules: [{ match: { service: 'reception' }, per_key: true, action: { kind: 'refuse', code: '70', at: 'reception', stored: true } }],
    end: 'AUTHORIZED',
  },
  down: {
    rules: (['reception', 'authorization'] as const).map((service) => ({
      match: { service }, per_key: true, times: 2, action: { kind: 'http', status: 503 },
    })),
    end: 'AUTHORIZED',
  },
} as const;

export type Behaviour = keyof typeof BEHAVIOURS;
export const BEHAVIOUR_NAMES = Object.keys(BEHAVIOURS) as Behaviour[];

export interface Case {
  readonly point: Point;
  readonly action: Action;
  readonly behaviour: Behaviour;
  /** Names the case's document: its numeric code. */
  readonly code: string;
}

export function actionsAt(point: Point): Action[] {
  return ['kill9', 'throw', 'hang', ...(point.afterCommit ? (['commit-ack-lost'] as const) : [])];
}

/** Every point with every action that applies and every behaviour of the SRI. */
export function allCases(): Case[] {
  return POINTS.flatMap((point) => actionsAt(point).flatMap((action) => BEHAVIOUR_NAMES.map((behaviour) => ({ point, action, behaviour })))).map(
    (one, index) => ({ ...one, code: String(70_000_000 + index * 137) }),
  );
}

/** Documents at once that two busy cores bring to their end well within a wave's time. */
const MOST_IN_A_WAVE = 36;

/** Cases that run together: those of one process that need no death, or those that die at one point. */
export interface Wave {
  readonly name: string;
  readonly process: 'api' | 'worker';
  readonly kill: boolean;
  readonly cases: readonly Case[];
}

export function wavesOf(cases: readonly Case[]): Wave[] {
  const waves = new Map<string, Case[]>();
  for (const one of cases) {
    const { point, action } = one;
    const name = point.tied && action !== 'kill9' ? `${point.process}: everything but kill9` : `${point.name} ${action}`;
    waves.set(name, [...(waves.get(name) ?? []), one]);
  }
  return [...waves].flatMap(([name, members]) =>
    Array.from({ length: Math.ceil(members.length / MOST_IN_A_WAVE) }, (_, i) => members.slice(i * MOST_IN_A_WAVE, (i + 1) * MOST_IN_A_WAVE)).map((part) => ({
      name, cases: part, process: part[0]!.point.process, kill: part[0]!.action === 'kill9',
    })),
  );
}

/** The numeric code of the document that a case has to wait for: it is held up once, just before it is sent. */
export const earlierCode = ({ code }: Case): string => String(Number(code) + 1);

/** The setting FAULTS of the process that is to suffer. A tied kill waits at its point until every document of its wave got there. */
export function faultsOf(wave: Wave): string {
  const faults = wave.cases.flatMap((one) => {
    const { point, action, code } = one;
    if (!point.tied) return `${point.name}:1:${action}`;
    return [`${point.name}:1:${wave.kill ? 'hang' : action}@${code}`, ...(point.behindAnother ? [`after-sign:1:hang@${earlierCode(one)}`] : [])];
  });
  return [...new Set(faults)].join(';');
}

/** So many cases that two processes at least must die, and every action is met. */
export function sample(cases: readonly Case[], size: number, random: SeededRandom): Case[] {
  const shuffled = random.shuffled(cases);
  const kills = shuffled.filter(({ action }) => action === 'kill9');
  const points = new Set(kills.slice(0, 3).map(({ point }) => point));
  const dying = kills.filter(({ point }) => points.has(point)).slice(0, Math.ceil(size / 3));
  const others = shuffled.filter(({ action, point }) => action !== 'kill9' && point.tied);
  const untied = shuffled.filter(({ action, point }) => action !== 'kill9' && !point.tied).slice(0, 1);
  return [...dying, ...untied, ...others.slice(0, size - dying.length - untied.length)];
}

/** How often the SRI may have seen a document; null where the case leaves it open. */
export function submissionsExpected({ point, behaviour }: Case): number | null {
  return behaviour === 'accept' && (SENT_AND_STORED.includes(point.name) || point.process === 'api') ? 1 : null;
}
