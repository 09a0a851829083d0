import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWhere } from '../../../test/support/describe-where.js';
import { startSri } from '../../../test/support/simulator/sri.js';
import { schemaFiles, schemaFolders } from '../schema-files.js';
import type { Authority } from './authority.js';
import { sriMessage } from './messages.js';
import { readSignature } from './signature/structure.js';
import { readingOf } from './types/registry.js';
import { readElement, withDocument } from './xml/parse.js';

const reference = process.env['SRI_REFERENCE_DIR'] ?? '';
const sample = (path: string): Buffer => readFileSync(join(reference, 'samples', path));

describeWhere(reference === '' ? 'SRI_REFERENCE_DIR is not set' : null, 'the reference samples', () => {
  const schemas = schemaFiles(schemaFolders(reference));

  const submit = (
    path: string,
    now: string,
    signatureEngine: 'xml-crypto' | 'libxml2' = 'xml-crypto',
  ): ReturnType<Authority['holding']> => {
    const { brain } = startSri({ schemas, signatureEngine, issueWindowDays: 10_000 }, new Date(now));
    const bytes = sample(path);
    const { outcome } = brain.submit(bytes);
    expect(outcome?.messages ?? []).toEqual([]);
    return brain.authority.holding(outcome!.accessKey);
  };

  it.each(['xml-crypto', 'libxml2'] as const)('authorize the signed synthetic invoice with %s', (engine) => {
    const { state, history } = submit('synthetic/synthetic_factura_1.1.0_signed.xml', '2026-12-01T12:00:00Z', engine);
    expect(history[0]?.messages.map(({ identifier }) => identifier)).toEqual(['60']);
    expect(state).toBe('authorized');
  });

  it.each([
    'public/bryancalisto_nota_credito_1.1.0_signed.xml',
    'public/bryancalisto_nota_debito_1.0.0_signed.xml',
    'public/bryancalisto_retencion_1.0.0_signed.xml',
  ])('refuse the wrong check digit of %s', (path) => {
    const { history } = submit(path, '2026-12-01T12:00:00Z');
    expect(history[0]?.messages[0]).toMatchObject({ identifier: '58' });
  });

  it.each([
    'synthetic_factura_1.1.0',
    'synthetic_guia_remision_1.1.0',
    'synthetic_liquidacion_compra_1.1.0',
    'synthetic_nota_credito_1.1.0',
    'synthetic_nota_debito_1.0.0',
    'synthetic_retencion_2.0.0',
  ])('pass the schema and foot: %s', (name) => {
    const { brain } = startSri({ schemas }, new Date('2026-12-01T12:00:00Z'));
    const bytes = sample(`synthetic/${name}.xml`);
    expect(brain.authority.submit(bytes, [], sriMessage('39')).outcome).toMatchObject({ estado: 'RECIBIDA' });
    const root = withDocument(bytes, (document) => readElement(document.root));
    expect(readingOf(root.name)?.differences(root)).toEqual([]);
    expect(readSignature(root)).toBe('structure');
  });

  it('see the wrong rate of the public purchase settlement', () => {
    const root = withDocument(sample('public/teran_node_liquidacion_1.1.0.xml'), (document) =>
      readElement(document.root),
    );
    expect(readingOf(root.name)?.differences(root).join('; ')).toContain('la tarifa de IVA');
  });

  it.each(['public/teran_node_nota_debito_1.0.0_INVALID.xml', 'public/teran_node_retencion_2.0.0_INVALID.xml'])(
    'refuse the schema faults of %s',
    (path) => {
      const { brain } = startSri({ schemas }, new Date('2026-12-01T12:00:00Z'));
      expect(brain.submit(sample(path)).outcome?.messages[0]).toMatchObject({ identifier: '35' });
    },
  );

  it('accept both RIMPE legends with the official schemas', () => {
    const text = sample('synthetic/synthetic_factura_1.1.0.xml').toString();
    for (const legend of ['CONTRIBUYENTE RÉGIMEN RIMPE', 'CONTRIBUYENTE NEGOCIO POPULAR - RÉGIMEN RIMPE', 'RIMPE']) {
      const { brain } = startSri({ schemas }, new Date('2026-12-01T12:00:00Z'));
      const bytes = Buffer.from(
        text.replace('</infoTributaria>', `<contribuyenteRimpe>${legend}</contribuyenteRimpe></infoTributaria>`),
      );
      expect(brain.submit(bytes).outcome?.estado).toBe(legend === 'RIMPE' ? 'DEVUELTA' : 'RECIBIDA');
    }
  });
});
