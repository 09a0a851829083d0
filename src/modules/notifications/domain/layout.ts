import { escapeHtml } from '../../../shared/html.js';
import type { Language } from '../../../shared/language.js';

/** What stands on the page of a mail, in its order. */
export interface Page {
  readonly language: Language;
  /** Whose mail it is. */
  readonly sender: string;
  readonly title: string;
  /** The one figure that readers look for. */
  readonly figure: { readonly name: string; readonly value: string } | null;
  readonly warning: string | null;
  /** Paragraphs, an empty line between them. */
  readonly message: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
  readonly footer: readonly string[];
}

const escape = (text: string): string =>
  escapeHtml(text).replace(/\b\d{3}-\d{3}-\d{9}\b/g, '<span style="white-space:nowrap">$&</span>');

const INK = '#1f2933';
const QUIET = '#52606d';
const LINE = '#e4e7eb';
/** What has no place to break, a key or a link, would widen the whole page beyond a phone. */
const BREAKING = 'word-break:break-word;overflow-wrap:anywhere';
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/**
 * The page as plain text and as HTML that every mail program shows: tables, styles beside what they style, nothing that
 * would have to be fetched.
 */
export function layout(page: Page): { readonly text: string; readonly html: string } {
  return { text: textOf(page), html: htmlOf(page) };
}

function textOf({ message, title, figure, warning, rows, footer }: Page): string {
  const lines = [...(figure === null ? [] : [[figure.name, figure.value] as const]), ...rows];
  const parts = [warning, message, [title, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\n'), footer.join('\n')];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}

function htmlOf({ language, sender, title, figure, warning, message, rows, footer }: Page): string {
  const cell = (style: string, content: string): string => `<tr><td style="padding:0 28px;${FONT};${BREAKING};${style}">${content}</td></tr>`;
  const lines = rows.map(
    ([name, value]) =>
      `<tr><td style="padding:10px 0;border-top:1px solid ${LINE};${FONT};color:${INK};font-size:15px;line-height:22px;${BREAKING}">` +
      `<span style="color:${QUIET};font-size:13px;line-height:18px">${escape(name)}</span><br>${escape(value)}</td></tr>`,
  );
  const body = [
    cell(`padding-top:24px;color:${QUIET};font-size:14px;line-height:20px;font-weight:600`, escape(sender)),
    cell(`padding-top:4px;color:${INK};font-size:20px;line-height:28px;font-weight:700`, escape(title)),
    figure === null ? '' : cell(`padding-top:14px;color:${INK};font-size:28px;line-height:34px;font-weight:700`, `${escape(figure.value)}<br><span style="color:${QUIET};font-size:13px;line-height:18px;font-weight:400">${escape(figure.name)}</span>`),
    warning === null ? '' : cell('padding-top:18px', `<div style="background:#fff3c4;color:#513c06;border-radius:6px;padding:10px 12px;font-size:14px;line-height:20px">${escape(warning)}</div>`),
    cell(`padding-top:18px;color:${INK};font-size:15px;line-height:23px`, paragraphs(message)),
    cell('padding-top:6px', `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${lines.join('')}</table>`),
    cell(`padding-top:14px;padding-bottom:26px;color:${QUIET};font-size:13px;line-height:19px`, `<div style="border-top:1px solid ${LINE};padding-top:14px">${footer.map(escape).join('<br>')}</div>`),
  ];
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light"><title>${escape(sender)}</title></head><body style="margin:0;padding:0;background:#f5f7fa">` +
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f5f7fa"><tr><td align="center" style="padding:24px 12px">' +
    `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:#ffffff;border:1px solid ${LINE};border-radius:10px;text-align:left">` +
    `${body.join('')}</table></td></tr></table></body></html>`
  );
}

const paragraphs = (message: string): string =>
  message.split(/\n{2,}/).map((paragraph) => `<p style="margin:0 0 12px 0">${escape(paragraph).replaceAll('\n', '<br>')}</p>`).join('');
