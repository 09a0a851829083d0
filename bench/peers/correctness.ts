import { printTable } from '../table.js';
import { AWKWARD_CONTAINERS, containerOf } from './containers.js';
import { documentOf, INPUTS, type Input } from './inputs.js';
import { type Exhibit, Judge, type Verdict } from './judge.js';
import type { Container, Peer } from './peer.js';
import { Signer, SignerFailure } from './signer.js';

const GOOD = 'ok';
const NOT_ASKED = '-';
const REFUSES = 'refuses';

const MEANINGS = [
  'KeyValue: not the key of the certificate. profile: XML that xmlsec1 verifies, signed in another form than annex 14 of the ficha técnica has',
  '- not asked: XML in a form in which ours is never written, or a certificate that the caller reads himself',
];

interface Case {
  readonly label: string;
  readonly input: Input;
  readonly container: Container;
  /** Null for a peer that is not asked. */
  asked(peer: Peer): boolean;
}

/** Signs every awkward input with every peer and judges it. @returns what is wrong with ours: nothing, it must be */
export async function compareCorrectness(peers: readonly Peer[], referenceFolder: string | undefined): Promise<readonly string[]> {
  const judge = new Judge(referenceFolder);
  const cases = casesOf();
  const columns: (readonly string[])[] = [];
  const notes: string[] = [];
  for (const peer of peers) {
    const { cells, said } = await column(peer, cases, judge);
    columns.push(cells);
    notes.push(...said);
  }
  const count = (cells: readonly string[], as: string | undefined): string =>
    `${cells.filter((cell) => cell === as).length} of ${cells.filter((cell) => cell !== NOT_ASKED).length}`;
  printTable(
    `What is wrong with signed invoices, judged by ${judge.description}`,
    ['input', ...peers.map(({ name }) => name)],
    [
      ...cases.map(({ label }, row) => [label, ...columns.map((cells) => cells[row] ?? '')]),
      ['good', ...columns.map((cells) => count(cells, GOOD))],
      ['like its ordinary invoice', ...columns.map((cells) => count(cells, cells[0]))],
    ],
  );
  for (const note of [...MEANINGS, ...notes]) process.stdout.write(`${note}\n`);
  const ours = peers.findIndex(({ kind }) => kind === 'ours');
  return cases.flatMap(({ label }, row) => {
    const cell = columns[ours]?.[row];
    return cell === GOOD || cell === NOT_ASKED ? [] : [`${label}: ${cell ?? 'not signed'}`];
  });
}

function casesOf(): readonly Case[] {
  const plain = containerOf();
  return [
    ...INPUTS.map((input) => ({ label: input.label, input, container: plain, asked: (peer: Peer) => input.kind === 'text' || peer.kind !== 'ours' })),
    ...AWKWARD_CONTAINERS.map(([label, make]) => ({ label, input: INPUTS[0]!, container: make(), asked: (peer: Peer) => peer.kind !== 'general' })),
  ];
}

async function column(peer: Peer, cases: readonly Case[], judge: Judge): Promise<{ cells: readonly string[]; said: readonly string[] }> {
  const cells: string[] = cases.map((one) => (one.asked(peer) ? '' : NOT_ASKED));
  const said = new Set<string>();
  const exhibits: { readonly row: number; readonly exhibit: Exhibit }[] = [];
  const signer = await Signer.start(peer);
  for (const [row, { input, container }] of cases.entries()) {
    if (cells[row] === NOT_ASKED) continue;
    const { xml, accessKey } = documentOf(input, row + 1);
    try {
      await signer.open(container);
      exhibits.push({ row, exhibit: { signed: await signer.sign(xml), accessKey, text: input.text } });
    } catch (error) {
      if (!(error instanceof SignerFailure)) throw error;
      cells[row] = REFUSES;
      said.add(`${peer.name} refuses: ${error.message.split('\n')[0]?.slice(0, 140) ?? ''}`);
    }
  }
  signer.stop();
  const verdicts: readonly Verdict[] = judge.verdicts(exhibits.map(({ exhibit }) => exhibit));
  for (const [index, { row }] of exhibits.entries()) cells[row] = verdicts[index]?.join(', ') || GOOD;
  return { cells, said: [...said] };
}
