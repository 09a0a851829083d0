import { endOfJson, positionAt, type TextPosition } from './text-position.js';

/** Why a text is not acceptable JSON, and where. */
export class JsonRefusal extends Error {
  /** @param key that stands there a second time */
  constructor(
    readonly reason: 'invalid_json' | 'too_deep' | 'too_many_members' | 'duplicate_key' | 'byte_order_mark',
    readonly position: TextPosition | null = null,
    readonly key: string | null = null,
  ) {
    super(reason);
    this.name = 'JsonRefusal';
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;

/** Anybody may send a body that is none: in longer ones no position is looked for, which takes longer than to read them. */
const LONGEST_SEARCHED = 262_144;

const positionIfShort = (text: string, index: number): TextPosition | null => (text.length > LONGEST_SEARCHED ? null : positionAt(text, index));

/**
 * Parses JSON (RFC 8259) and refuses what JSON.parse lets through in silence:
 * a key given twice in one object, nesting deeper than `maxDepth`, and more than `maxMembers`
 * members of all objects together. All that is checked before anything is built.
 * @throws JsonRefusal
 */
export function parseStrictJson(text: string, maxDepth: number, maxMembers = Number.POSITIVE_INFINITY): unknown {
  // RFC 8259, section 8.1.
  if (text.startsWith('\ufeff')) throw new JsonRefusal('byte_order_mark', positionAt(text, 0));
  inspect(text, maxDepth, maxMembers);
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonRefusal('invalid_json', text.length > LONGEST_SEARCHED ? null : endOfJson(text));
  }
}

/** One pass over the raw text; tolerates bad syntax, which JSON.parse refuses afterwards. */
function inspect(text: string, maxDepth: number, maxMembers: number): void {
  const keysOf: (Set<string> | null)[] = [];
  let index = 0;
  let members = 0;
  while (index < text.length) {
    switch (text.charCodeAt(index)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (keysOf.length === maxDepth) throw new JsonRefusal('too_deep', positionIfShort(text, index));
        keysOf.push(text.charCodeAt(index) === OPEN_BRACE ? new Set() : null);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        keysOf.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, index);
        const keys = keysOf.at(-1);
        if (keys !== null && keys !== undefined && isKey(text, end)) {
          members += 1;
          if (members > maxMembers) throw new JsonRefusal('too_many_members');
          const literal = text.slice(index, end);
          if (!remember(keys, literal)) throw new JsonRefusal('duplicate_key', positionIfShort(text, index), textOf(literal));
        }
        index = end - 1;
        break;
      }
      default:
    }
    index += 1;
  }
}

/** Index just after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === BACKSLASH) index += 1;
    else if (unit === QUOTE) return index + 1;
  }
  return text.length;
}

function isKey(text: string, afterString: number): boolean {
  let index = afterString;
  while (/[\t\n\r ]/.test(text.charAt(index))) index += 1;
  return text.charCodeAt(index) === COLON;
}

/** The text that a literal stands for; one that JSON does not allow stays as it is written. */
function textOf(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}

/** False: the object has such a key already. */
function remember(keys: Set<string>, literal: string): boolean {
  let key = literal;
  if (literal.includes('\\')) {
    try {
      key = JSON.stringify(JSON.parse(literal));
    } catch {
      return true; // a broken escape: JSON.parse refuses the whole text
    }
  }
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}
