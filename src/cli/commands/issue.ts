import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RandomIds } from '../../platform/adapters/random-ids.js';
import { SystemClock } from '../../platform/adapters/system-clock.js';
import { guayaquilDay } from '../../shared/guayaquil.js';
import { type Api, findingLine } from '../api.js';
import { documentLines, follow, requireAuthorized } from '../document.js';
import { CliFailure, tellFailure } from '../failure.js';
import { tellingIfInterrupted } from '../interruption.js';
import type { Output } from '../output.js';
import { onlyPlace } from '../place.js';

export interface IssueOptions {
  readonly wait: number;
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
}

const TRIES = 5;

/** `sello issue FILE`: issues the document of a JSON file and follows it to its end. */
export async function issue(api: Api, output: Output, file: string, options: IssueOptions): Promise<void> {
  await issueBody(api, output, readDocument(file), options);
}

/** Fills in what a file may leave out, issues, follows. */
export async function issueBody(api: Api, output: Output, given: Record<string, unknown>, { wait, idempotencyKey, dryRun }: IssueOptions): Promise<void> {
  const place = given['issuer_id'] === undefined ? await onlyPlace(api) : {};
  const named = idempotencyKey ?? (typeof given['idempotency_key'] === 'string' ? given['idempotency_key'] : null);
  // What is sent again under a key has to be the same: nothing in it may come from the moment.
  if (named !== null && given['issue_date'] === undefined) throw new CliFailure('usage', 'with an idempotency key the file names its issue_date');
  const key = named ?? new RandomIds().uuid();
  const body: Record<string, unknown> = { ...place, issue_date: guayaquilDay(new SystemClock().now()), numeric_code: numericCode(key), ...given };
  if (dryRun === true) {
    await dryRunOf(api, output, body);
    return;
  }
  output.remark(`idempotency key ${key}`);
  const open = (last: CliFailure): CliFailure => leftOpen(last, key, body['issue_date']);
  const accepted = await tellingIfInterrupted(
    repeatedly(() => api.post<{ document_id: string }>('/documents', { ...body, idempotency_key: key }), open),
    () => tellFailure(open(new CliFailure('unanswered', 'Interrupted before the service answered.'))),
  );
  output.remark(`accepted ${accepted.document_id}`);
  const document = await follow(api, accepted.document_id, wait);
  output.tell(document, documentLines(document));
  if (wait > 0) requireAuthorized(document);
}

/** Made from the key, so that a call that is repeated under it sends the same. */
const numericCode = (key: string): string => String(createHash('sha256').update(key, 'utf8').digest().readUInt32BE() % 100_000_000).padStart(8, '0');

/** Nobody knows whether there is a document: what to repeat the call with, so that there is one. */
const leftOpen = ({ message, detail }: CliFailure, key: string, day: unknown): CliFailure =>
  new CliFailure('unanswered', `${message}\nIt is open whether the document was issued. Issued again with --idempotency-key ${key} and "issue_date": ${JSON.stringify(day)} in its file, there is only one.`, {
    ...(detail as object | null), idempotency_key: key, issue_date: day,
  });

async function dryRunOf(api: Api, output: Output, body: unknown): Promise<void> {
  const verdict = await api.post<{ valid: boolean; findings: unknown[] }>('/documents/validate', body);
  output.tell(verdict, [verdict.valid ? 'valid' : 'not valid', ...verdict.findings.map(findingLine)]);
  if (!verdict.valid) throw new CliFailure('refused', 'the document breaks rules: nothing was issued', verdict);
}

/**
 * The idempotency key makes it safe: a document that was taken is not taken twice.
 * @param leftOpen what to end with when a try got no answer, however the last one ended
 */
async function repeatedly<T>(call: () => Promise<T>, leftOpen: (last: CliFailure) => CliFailure): Promise<T> {
  let isOpen = false;
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      isOpen ||= error.exit === 'unanswered';
      if (!error.passes || tried === TRIES) throw isOpen ? leftOpen(error) : error;
      await sleep(Math.max(tried * 1_000, error.retryAfterMs ?? 0));
    }
  }
}

function readDocument(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CliFailure('usage', `${file} cannot be read: ${(error as Error).message}`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new CliFailure('usage', `${file} is not JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new CliFailure('usage', `${file} holds no document: an object was expected`);
  return parsed as Record<string, unknown>;
}
