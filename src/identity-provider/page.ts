const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** The sign-in form. The application's request travels along in hidden fields. */
export function signInPage(asked: Readonly<Record<string, string>>): string {
  const hidden = Object.entries(asked).map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Identity provider for development</title>
<style>body{font:16px sans-serif;max-width:24rem;margin:4rem auto}label{display:block;margin:1rem 0}input[type=email],input[type=text]{width:100%;padding:.5rem}</style>
<h1>Sign in</h1><p>Stands in for Google. Whoever you say you are is believed.</p>
<form method="post" action="/authorize">${hidden.join('')}
<label>E-mail <input type="email" name="email" required></label>
<label>Name <input type="text" name="name" value="Ana Ruiz"></label>
<label><input type="checkbox" name="email_verified" value="true" checked> the address is verified</label>
<button name="action" value="continue">Continue</button> <button name="action" value="cancel" formnovalidate>Cancel</button></form></html>`;
}

export const refusalPage = (reason: string): string => `<!doctype html><meta charset="utf-8"><title>Refused</title><p>${escape(reason)}</p>`;
