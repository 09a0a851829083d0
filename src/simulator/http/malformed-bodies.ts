import { type MALFORMED_BODIES } from '../brain/fault-actions.js';
import { faultEnvelope } from './envelopes.js';

export type MalformedBody = (typeof MALFORMED_BODIES)[number];

export interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

const XML = 'text/xml;charset=UTF-8';
const OVERSIZED_BYTES = 20 * 1024 * 1024;

/** Spoils a good answer in one of the ways seen in the field or feared. */
export function malformedAnswer(kind: MalformedBody, envelope: string): WireAnswer {
  const ok = (body: string | Buffer): WireAnswer => ({ status: 200, contentType: XML, body: Buffer.from(body) });
  switch (kind) {
    case 'empty':
      return ok('');
    case 'truncated':
      return ok(envelope.slice(0, Math.floor(envelope.length / 2)));
    case 'not_xml':
      return ok('{"estado":"RECIBIDA"}');
    case 'wrong_namespace':
      return ok(envelope.replaceAll('http://ec.gob.sri.ws.', 'http://example.invalid/'));
    case 'soap_fault':
      return { status: 500, contentType: XML, body: Buffer.from(faultEnvelope('Server', 'Error interno')) };
    case 'byte_order_mark':
      return ok(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(envelope)]));
    case 'wrong_encoding':
      return ok(Buffer.from(envelope.replace('UTF-8', 'UTF-16'), 'utf16le'));
    case 'entity_bomb':
      return ok(withDoctype(envelope, entityBomb()));
    case 'external_entity':
      return ok(withDoctype(envelope, '<!ENTITY estado SYSTEM "file:///etc/hostname">'));
    case 'unknown_root':
      return ok('<?xml version="1.0" encoding="UTF-8"?><respuesta><estado>RECIBIDA</estado></respuesta>');
    case 'oversized':
      if (!envelope.includes('<soap:Body>')) return ok(envelope + ' '.repeat(OVERSIZED_BYTES));
      return ok(envelope.replace('<soap:Body>', `<!--${'x'.repeat(OVERSIZED_BYTES)}--><soap:Body>`));
  }
}

function withDoctype(envelope: string, entities: string): string {
  return envelope
    .replace('<soap:Envelope', `<!DOCTYPE soap:Envelope [${entities}]><soap:Envelope`)
    .replace(/<estado>[^<]*/, '<estado>&estado;');
}

function entityBomb(): string {
  const levels = Array.from({ length: 10 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`);
  return `<!ENTITY e0 "RECIBIDA">${levels.join('')}<!ENTITY estado "&e10;">`;
}
