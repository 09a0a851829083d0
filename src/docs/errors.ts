import type { ErrorEntry } from '../shared/error-catalogue.js';
import { generatedFrom, table } from './markdown.js';

const ON_THE_RECORD = 200;

/** `docs/errors.md`: every code, its status, what it means and what to do, in both languages. */
export function errorsPage(catalogue: Readonly<Record<string, ErrorEntry>>): string {
  const entries = Object.entries(catalogue).sort(([, a], [, b]) => a.status - b.status);
  const rows = (chosen: typeof entries) =>
    chosen.map(([code, entry]) => [
      `\`${code}\``,
      ...(entry.status === ON_THE_RECORD ? [] : [String(entry.status)]),
      `${entry.en}. ${entry.actionEn}.`,
      `${entry.es}. ${entry.actionEs}.`,
    ]);
  return [
    generatedFrom('Errors', '`src/shared/error-catalogue.ts`'),
    'Every answer with status 400 or above is `{"error": {"code", "message", "detail", "request_id"}}`. `code` never changes',
    'its meaning; `message` says what happened and what to do next, in Spanish, or English by `Accept-Language`. Quote `request_id`',
    'to support.',
    '',
    table(
      ['code', 'status', 'English', 'Spanish'],
      rows(entries.filter(([, { status }]) => status !== ON_THE_RECORD)),
    ),
    '',
    '## On the document record',
    '',
    'These are never answers to a request: they stand as `error.code` on a document that did not go on.',
    '',
    table(
      ['code', 'English', 'Spanish'],
      rows(entries.filter(([, { status }]) => status === ON_THE_RECORD)),
    ),
    '',
  ].join('\n');
}
