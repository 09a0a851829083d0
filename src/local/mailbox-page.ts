import type { Mail } from './mail-reader.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** The page that shows mails, newest first. */
export function mailboxPage(mails: readonly Mail[]): string {
  const shown = [...mails].reverse().map(
    ({ to, subject, text, receivedAt }) =>
      `<article><h2>${escape(subject)}</h2><p>to ${escape(to.join(', '))}, ${receivedAt.toISOString()}</p><pre>${escape(text)}</pre></article>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sello, local mailbox</title>
<style>body{font:16px sans-serif;max-width:50rem;margin:2rem auto}pre{white-space:pre-wrap;background:#f4f4f4;padding:1rem}</style>
<h1>Local mailbox</h1><p>What the service sent since its start. Reload to see more.</p>${shown.join('') || '<p>Nothing yet.</p>'}</html>`;
}
