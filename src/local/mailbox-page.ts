import { escapeHtml } from '../shared/html.js';
import type { Mail } from './mail-reader.js';

/** What the page fetches may run nothing and reach nobody. */
const STRICT = "default-src 'none'; style-src 'unsafe-inline'";

export interface PageAnswer {
  readonly type: string;
  readonly policy: string;
  readonly body: string | Buffer;
}

/** Answers a request for the page that shows mails, or for a part of one; null: there is no such thing. */
export function mailboxAnswer(path: string, mails: readonly Mail[]): PageAnswer | null {
  if (path === '/') return { type: 'text/html; charset=utf-8', policy: `${STRICT}; frame-src 'self'`, body: listOf(mails) };
  const [, number, part, index] = /^\/mails\/(\d+)\/(html|attachments)(?:\/(\d+))?$/.exec(path) ?? [];
  const mail = mails.find((candidate) => String(candidate.number) === number);
  if (mail === undefined) return null;
  if (part === 'html') return mail.html === null ? null : { type: 'text/html; charset=utf-8', policy: `${STRICT}; sandbox`, body: mail.html };
  const attachment = mail.attachments[Number(index)];
  // Browsers show PDF in a document of their own, which a sandbox would forbid.
  return attachment === undefined ? null : { type: attachment.type, policy: "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'", body: attachment.bytes };
}

/** All mails, newest first. */
function listOf(mails: readonly Mail[]): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Sello, local mailbox</title>
<style>body{font:16px sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;background:#f4f4f4;padding:1rem}iframe{width:100%;height:44rem;border:1px solid #ccc}</style>
<h1>Local mailbox</h1><p>What the service sent since its start. Reload to see more.</p>${[...mails].reverse().map(articleOf).join('') || '<p>Nothing yet.</p>'}</html>`;
}

function articleOf({ number, to, headers, subject, text, html, attachments, receivedAt }: Mail): string {
  const from = headers.get('from')?.[0] ?? '';
  const files = attachments.map(({ fileName, bytes }, index) => `<li><a href="/mails/${number}/attachments/${index}">${escapeHtml(fileName)}</a>, ${Math.ceil(bytes.length / 1_024)} KB</li>`);
  const plain = `<pre>${escapeHtml(text)}</pre>`;
  const body = html === null ? plain : `<iframe sandbox title="${escapeHtml(subject)}" src="/mails/${number}/html"></iframe><details><summary>As plain text</summary>${plain}</details>`;
  return `<article><h2>${escapeHtml(subject)}</h2><p>from ${escapeHtml(from)}<br>to ${escapeHtml(to.join(', '))}, ${receivedAt.toISOString()}</p>${body}${files.length === 0 ? '' : `<ul>${files.join('')}</ul>`}</article>`;
}
