import type { FontName } from './fonts.js';

/** How a piece of text looks. Sizes are points. */
export interface TextStyle {
  readonly font: FontName;
  readonly size: number;
  readonly color: string;
}

export const COLOR = {
  ink: '#17212b',
  muted: '#5b6875',
  accent: '#1f3a5f',
  rule: '#d4dae0',
  shade: '#f3f5f8',
  paper: '#ffffff',
  warning: '#7a4a00',
  warningShade: '#fdf1d8',
  danger: '#8f1d1d',
  dangerShade: '#fbe6e4',
  warningMark: '#f6efe1',
  dangerMark: '#f7e6e4',
} as const;

const text = (font: FontName, size: number, color: string): TextStyle => ({ font, size, color });

export const TEXT = {
  issuer: text('bold', 12, COLOR.ink),
  trade: text('regular', 9.5, COLOR.muted),
  title: text('bold', 13.5, COLOR.accent),
  number: text('bold', 11, COLOR.ink),
  ruc: text('bold', 9.5, COLOR.ink),
  label: text('regular', 6.4, COLOR.muted),
  value: text('regular', 8, COLOR.ink),
  strong: text('bold', 8, COLOR.ink),
  digits: text('regular', 7.9, COLOR.ink),
  legend: text('bold', 7, COLOR.accent),
  section: text('bold', 7, COLOR.accent),
  head: text('bold', 6.6, COLOR.muted),
  cell: text('regular', 7.6, COLOR.ink),
  note: text('regular', 6.6, COLOR.muted),
  total: text('bold', 9.5, COLOR.paper),
  foot: text('regular', 6.4, COLOR.muted),
  running: text('bold', 7.6, COLOR.ink),
} as const satisfies Record<string, TextStyle>;

/** The same text in another colour. */
export function inColor(style: TextStyle, color: string): TextStyle {
  return { ...style, color };
}

/** Distance between the tops of two lines of text. */
export function lineHeight(style: TextStyle): number {
  return style.size * 1.24;
}
