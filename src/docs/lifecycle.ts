import { generatedFrom, table } from './markdown.js';

/** What this page needs to know about a state. */
export interface StateFacts {
  readonly meaning: string;
  readonly final: boolean;
  readonly ambiguous: boolean;
  readonly step: string | null;
  readonly lostLease: string | null;
  readonly actions: readonly string[];
  readonly moves: Readonly<Record<string, string>>;
}

/** `docs/lifecycle.md`: the diagram and the table of a document's states. */
export function lifecyclePage(lifecycle: Readonly<Record<string, StateFacts>>): string {
  const states = Object.entries(lifecycle);
  const [first] = states;
  const diagram = [
    'stateDiagram-v2',
    ...(first === undefined ? [] : [`  [*] --> ${first[0]}`]),
    ...states.flatMap(([from, { moves }]) => Object.entries(moves).map(([trigger, to]) => `  ${from} --> ${to}: ${trigger}`)),
    ...states.filter(([, { final }]) => final).map(([name]) => `  ${name} --> [*]`),
  ];
  return [
    generatedFrom("A document's lifecycle", '`src/modules/documents/domain/lifecycle.ts`'),
    'PostgreSQL refuses every move that is not in this table. Each move is a compare-and-set on id, status and version,',
    'and writes history, due work and event in the same transaction.',
    '',
    '```mermaid',
    ...diagram,
    '```',
    '',
    table(
      ['State', 'Meaning', 'Kind', 'Work due', 'When a worker vanishes', 'Actions', 'Moves'],
      states.map(([name, state]) => [
        name,
        state.meaning,
        [state.final ? 'final' : '', state.ambiguous ? 'ambiguous' : ''].filter(Boolean).join(', '),
        state.step ?? '',
        state.lostLease ?? '',
        state.actions.join(', '),
        Object.entries(state.moves)
          .map(([trigger, to]) => `${trigger} → ${to}`)
          .join(', '),
      ]),
    ),
    '',
  ].join('\n');
}
