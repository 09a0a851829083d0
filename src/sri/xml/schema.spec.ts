import { fileURLToPath } from 'node:url';
import { diag } from 'libxml2-wasm';
import { validateAgainstSchema } from './schema.js';

const SCHEMA = fileURLToPath(new URL('../document-types/01-invoice/invoice-1.1.0.xsd', import.meta.url));

const INVALID = '<factura><infoTributaria></infoTributaria></factura>';

describe('schema validation', () => {
  it('names what is wrong, where', () => {
    const problems = validateAgainstSchema('<factura>\n<otro></otro></factura>', SCHEMA);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ xpath: '/factura/otro' });
    expect(problems[0]?.message).toContain('infoTributaria');
  });

  it('reports broken XML as a problem', () => {
    expect(validateAgainstSchema('<factura>', SCHEMA).length).toBeGreaterThan(0);
    expect(validateAgainstSchema('', SCHEMA).length).toBeGreaterThan(0);
  });

  it('refuses declarations, entities and size before parsing', () => {
    const bomb = '<!DOCTYPE factura [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><factura>&b;</factura>';
    expect(validateAgainstSchema(bomb, SCHEMA)[0]?.message).toContain('document type declaration');
    expect(validateAgainstSchema(`<factura>${'a'.repeat(320 * 1024)}</factura>`, SCHEMA)[0]?.message).toContain(
      'larger',
    );
  });

  it('fails loudly when the schema file does not exist', () => {
    expect(() => validateAgainstSchema(INVALID, `${SCHEMA}.missing`)).toThrow(/ENOENT/);
  });

  it('gives all WebAssembly memory back', () => {
    validateAgainstSchema(INVALID, SCHEMA);
    diag.configure({ enabled: true });
    try {
      for (let round = 0; round < 200; round += 1) {
        validateAgainstSchema(INVALID, SCHEMA);
        validateAgainstSchema('<factura>', SCHEMA);
      }
      expect(diag.report()).toEqual({});
    } finally {
      diag.configure({ enabled: false });
    }
  });
});
