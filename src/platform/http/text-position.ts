/** Line and column of a text, both from 1, the column in characters. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export function positionAt(text: string, index: number): TextPosition {
  const before = text.slice(0, index);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: Array.from(before.slice(start)).length + 1 };
}

const SPACE = 0x20;
const BLANKS = /[\t\n\r ]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Length of what `pattern` finds at `index`; 0 when it finds nothing there. */
function lengthAt(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0].length ?? 0;
}

/**
 * Where a text stops being JSON (RFC 8259). The engine's parser names a position in some of its messages only; this is for
 * what it has refused.
 * @returns null when the text is JSON
 */
export function endOfJson(text: string): TextPosition | null {
  const open: ('}' | ']')[] = [];
  let wanted: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end' = 'value';
  let index = lengthAt(BLANKS, text, 0);
  while (index < text.length) {
    const sign = text.charAt(index);
    let length = 1;
    if (wanted === 'colon') {
      if (sign !== ':') break;
      wanted = 'value';
    } else if (sign === open.at(-1) && (wanted === 'end' || wanted.startsWith('first'))) {
      open.pop();
      wanted = 'end';
    } else if (wanted === 'end') {
      if (sign !== ',' || open.length === 0) break;
      wanted = open.at(-1) === '}' ? 'key' : 'value';
    } else if (wanted.endsWith('key')) {
      length = lengthAt(STRING, text, index);
      wanted = 'colon';
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']');
      wanted = sign === '{' ? 'first key' : 'first value';
    } else {
      length = lengthAt(STRING, text, index) || lengthAt(SCALAR, text, index);
      wanted = 'end';
    }
    if (length === 0) break;
    index += length;
    if (text.charCodeAt(index) <= SPACE) index += lengthAt(BLANKS, text, index);
  }
  return index === text.length && wanted === 'end' && open.length === 0 ? null : positionAt(text, index);
}
