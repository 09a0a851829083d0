import { setTimeout as sleep } from 'node:timers/promises';
import { addFaults, Business } from '../support/business.js';
import type { Answer } from '../support/http.js';
import { itWithPoppler, pageTexts, wordsOf } from '../support/pdf.js';
import { JPEG, png } from '../support/picture.js';
import { type Stack, startStack } from '../support/stack.js';

interface File {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

describe('documents as files', () => {
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    stack = await startStack({ env: { ANSWER_DEADLINE_SECONDS: '3', AUTHORIZATION_LADDER: '1', RECHECK_SECONDS: '3600' } });
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const file = async (path: string, who = business): Promise<File> => {
    const response = await fetch(stack.apiUrl + path, { headers: { 'x-api-key': who.apiKey } });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const ride = (id: string, who = business): Promise<File> => file(`/documents/${id}/ride`, who);
  const code = ({ status, bytes }: File): unknown[] => [status, (JSON.parse(bytes.toString()) as { error: { code: string } }).error.code];
  const detailOf = ({ bytes }: File): unknown => (JSON.parse(bytes.toString()) as { error: { detail: unknown } }).error.detail;
  const authorized = async (): Promise<{ document_id: string; access_key: string }> => {
    const accepted = await business.accepted();
    expect((await business.settled(accepted.document_id)).status).toBe('AUTHORIZED');
    return accepted;
  };
  const draft = async (change: Record<string, unknown> = {}): Promise<string> => {
    const { status, body } = await business.call<{ id: string }>('POST', '/documents/drafts', business.invoice(change));
    expect(status).toBe(201);
    return body.id;
  };

  describe('the RIDE', () => {
    it('of an authorized document names it by its access key and is the same each time', async () => {
      const { document_id, access_key } = await authorized();
      const first = await ride(document_id);
      expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(first.headers.get('content-disposition')).toBe(`inline; filename="${access_key}.pdf"`);
      expect(first.headers.get('cache-control')).toBe('no-store');
      expect(Number(first.headers.get('content-length'))).toBe(first.bytes.length);
      expect(first.bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect((await ride(document_id)).bytes.equals(first.bytes)).toBe(true);
    });

    itWithPoppler('of an authorized document shows number, key, authorization and content', async () => {
      const { document_id, access_key } = await authorized();
      const { sequential } = await business.document(document_id);
      const text = wordsOf((await ride(document_id)).bytes);
      for (const each of [access_key, `001-001-${String(sequential).padStart(9, '0')}`, 'María Pérez', 'Servicio de consultoría', '115.00', 'AMBIENTE DE PRUEBAS']) {
        expect(text).toContain(each);
      }
      expect(text).toMatch(/FECHA Y HORA DE AUTORIZACIÓN\s+\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d/);
      expect(text).not.toMatch(/BORRADOR|PENDIENTE|NO AUTORIZADO/);
    });

    it('of a draft is a preview under another name', async () => {
      const id = await draft();
      const { status, headers } = await ride(id);
      expect([status, headers.get('content-disposition')]).toEqual([200, `inline; filename="draft-${id}.pdf"`]);
    });

    itWithPoppler('of a draft says on every page that it is one', async () => {
      const lines = Array.from({ length: 400 }, (_, index) => ({
        line_number: index + 1, description: `Artículo ${index + 1}`, quantity: '1', unit_price: '1.00', subtotal: '1.00', tax_rate_code: '0',
      }));
      const id = await draft({ lines, subtotal: undefined, total_tax: undefined, total: undefined, taxes: undefined, total_discount: undefined, payments: undefined });
      const pages = pageTexts((await ride(id)).bytes);
      expect(pages.length).toBeGreaterThan(5);
      for (const page of pages) expect(page).toContain('BORRADOR - SIN VALIDEZ TRIBUTARIA');
      expect(pages.at(-1)).toMatch(/Artículo 400[\s\S]*VALOR TOTAL\s+400\.00/);
    });

    itWithPoppler('of a draft shows what issuing would fill in', async () => {
      const id = await draft({ buyer_id_type: null, buyer_id: null, buyer_name: null, payments: undefined });
      expect((await business.document(id))['buyer_name']).toBeNull();
      const text = wordsOf((await ride(id)).bytes);
      for (const each of ['CONSUMIDOR FINAL', '9999999999999', '01 - Sin utilización del sistema financiero']) expect(text).toContain(each);
    });

    it('of a draft that exceeds the SRI’s size is refused as issuing refuses it, also when it lacks more, and one that fits is drawn', async () => {
      const word = (number: number): string => `palabra${number.toString(36)}`;
      const lines = (count: number): unknown[] => Array.from({ length: count }, (_, index) => ({
        line_number: index + 1, quantity: '1', unit_price: '1.00', subtotal: '1.00', tax_rate_code: '0',
        description: Array.from({ length: 25 }, (_, place) => word(index * 25 + place)).join(' '),
      }));
      const unpaid = { subtotal: undefined, total_tax: undefined, total: undefined, taxes: undefined, total_discount: undefined, payments: undefined };
      const id = await draft({ lines: lines(2_000), ...unpaid });
      const printed = await ride(id);
      expect([...code(printed), detailOf(printed)]).toMatchObject([400, 'FISCAL_RULE_VIOLATED', [{ rule: 'document.size', severity: 'error', pointer: '' }]]);
      const issued = await business.call<{ error: { code: string; detail: { rule: string }[] } }>('POST', `/documents/${id}/issue`);
      expect(issued.body.error.code).toBe('FISCAL_RULE_VIOLATED');
      expect(issued.body.error.detail.filter(({ rule }) => rule === 'document.size')).toEqual(detailOf(printed));
      const untaxed = await draft({ lines: lines(2_000).map((line) => ({ ...(line as object), tax_rate_code: '99' })), ...unpaid });
      expect(code(await ride(untaxed))).toEqual([400, 'FISCAL_RULE_VIOLATED']);
      expect((await ride(await draft({ lines: lines(300), ...unpaid }))).status).toBe(200);
    });

    itWithPoppler('of a refused document says so, also once it was given up', async () => {
      const mine = await Business.open(stack);
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'authorization' } });
      const { document_id } = await mine.accepted();
      expect((await mine.settled(document_id)).status).toBe('REJECTED');
      expect(wordsOf((await ride(document_id, mine)).bytes)).toContain('NO AUTORIZADO POR EL SRI - SIN VALIDEZ TRIBUTARIA');
      expect((await mine.call('POST', `/documents/${document_id}/abandon`, { reason: 'not needed' })).body['status']).toBe('FAILED_PERMANENT');
      expect(wordsOf((await ride(document_id, mine)).bytes)).toContain('NO AUTORIZADO POR EL SRI - SIN VALIDEZ TRIBUTARIA');
    });

    itWithPoppler.each(['never refused', 'refused before'])('of a document that was given up while the SRI held it says nothing of its validity: %s', async (how) => {
      const mine = await Business.open(stack);
      const wasRefused = how === 'refused before';
      if (wasRefused) await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '35', at: 'reception' } });
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'authorization' }, times: null, action: { kind: 'in_process' } });
      const { document_id } = await mine.accepted();
      if (wasRefused) {
        expect((await mine.settled(document_id)).status).toBe('REJECTED');
        expect((await mine.call('POST', `/documents/${document_id}/correct`, mine.invoice())).status).toBe(202);
      }
      expect((await mine.settled(document_id)).status).toBe('MANUAL_REVIEW_REQUIRED');
      expect((await mine.call('POST', `/documents/${document_id}/abandon`, { reason: 'not needed' })).body['status']).toBe('FAILED_PERMANENT');
      expect(wordsOf((await ride(document_id, mine)).bytes)).toMatch(/^(?![^]*(NO EMITIDO|NO AUTORIZADO|SIN VALIDEZ TRIBUTARIA))[^]*ABANDONADO - SIN AUTORIZACIÓN CONOCIDA/);
    });

    it('is nobody else’s, and there is none of an unknown document', async () => {
      const other = await Business.open(stack, { certificate: null });
      const id = await draft();
      expect(code(await ride(id, other))).toEqual([404, 'NOT_FOUND']);
      expect(code(await ride(business.issuerId))).toEqual([404, 'NOT_FOUND']);
      expect(code(await ride('x'))).toEqual([422, 'VALIDATION_FAILED']);
      expect((await fetch(`${stack.apiUrl}/documents/${id}/ride`)).status).toBe(401);
    });
  });

  describe('the XML', () => {
    it('is the signed one and the authorization that holds it', async () => {
      const { document_id, access_key } = await authorized();
      const signed = await file(`/documents/${document_id}/xml?kind=signed`);
      const authorization = await file(`/documents/${document_id}/xml?kind=authorized`);
      expect([signed.status, signed.headers.get('content-type'), signed.headers.get('cache-control')]).toEqual([200, 'application/xml', 'no-store']);
      expect([authorization.status, authorization.headers.get('content-type')]).toEqual([200, 'application/xml']);
      expect([signed, authorization].map(({ headers }) => headers.get('content-disposition'))).toEqual([`inline; filename="${access_key}-signed.xml"`, `inline; filename="${access_key}.xml"`]);
      expect(signed.bytes.toString()).toContain(`<claveAcceso>${access_key}</claveAcceso>`);
      expect(signed.bytes.toString()).toContain('<ds:Signature');
      expect(authorization.bytes.toString()).toContain('<estado>AUTORIZADO</estado>');
      expect(authorization.bytes.toString()).toContain(`<numeroAutorizacion>${access_key}</numeroAutorizacion>`);
    });

    it('of a guide that names an invoice of ours by its id has its authorization number', async () => {
      const invoice = await authorized();
      const { issue_date: today } = business.invoice();
      const guide = await business.accepted({
        document_type: '06', modified_document_id: invoice.document_id, buyer_address: 'Av. Loja 12, Cuenca', reason: 'Venta', payments: undefined,
        subtotal: '0.00', total_tax: '0.00', total: '0.00', taxes: [{ tax_code: '2', tax_rate_code: '0', taxable_base: '0.00', rate: '0', tax_amount: '0.00' }],
        lines: [{ line_number: 1, description: 'Café', quantity: '1', unit_price: '0', subtotal: '0.00', tax_rate_code: '0' }],
        transport: { origin_address: 'Quito', carrier: { id_type: '05', id: '1710034065', name: 'Pedro Torres' }, start_date: today, end_date: today, plate: 'PBA1234' },
      });
      expect((await business.settled(guide.document_id)).status).toBe('AUTHORIZED');
      const { bytes } = await file(`/documents/${guide.document_id}/xml?kind=signed`);
      expect(bytes.toString()).toContain(`<numAutDocSustento>${invoice.access_key}</numAutDocSustento>`);
    });

    it('is not there for a draft, another tenant and an unknown kind', async () => {
      const other = await Business.open(stack, { certificate: null });
      const { document_id } = await authorized();
      const id = await draft();
      for (const kind of ['signed', 'authorized']) {
        const absent = await file(`/documents/${id}/xml?kind=${kind}`);
        expect([...code(absent), detailOf(absent)]).toEqual([404, 'NOT_FOUND', { reason: 'not_yet', kind, status: 'DRAFT' }]);
        const foreign = await file(`/documents/${document_id}/xml?kind=${kind}`, other);
        expect([...code(foreign), detailOf(foreign)]).toEqual([404, 'NOT_FOUND', null]);
      }
      expect(code(await file(`/documents/${document_id}/xml?kind=other`))).toEqual([422, 'VALIDATION_FAILED']);
    });
  });

  it('a refused document has the signed XML, and no authorization to wait for', async () => {
    const mine = await Business.open(stack);
    await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'authorization' } });
    const { document_id } = await mine.accepted();
    expect((await mine.settled(document_id)).status).toBe('REJECTED');
    expect((await file(`/documents/${document_id}/xml?kind=signed`, mine)).status).toBe(200);
    const absent = await file(`/documents/${document_id}/xml?kind=authorized`, mine);
    expect([...code(absent), detailOf(absent)]).toEqual([404, 'NOT_FOUND', { reason: 'none', kind: 'authorized', status: 'REJECTED' }]);
  });

  describe('the logo of an issuer', () => {
    const change = (logo: unknown): Promise<Answer> => business.call('PATCH', `/issuers/${business.issuerId}`, { logo });
    const logoPath = (): string => `/issuers/${business.issuerId}/logo`;
    const images = async (): Promise<number> => {
      const { status, bytes } = await ride(await draft());
      expect(status).toBe(200);
      return bytes.toString('latin1').match(/\/Subtype \/Image\b/g)?.length ?? 0;
    };

    it.each([['image/png', png({ colorType: 2 })], ['image/jpeg', JPEG]])('as %s is stored, shown by its path, printed and removed', async (type, image) => {
      expect(await images()).toBe(0);
      const set = await change(image.toString('base64'));
      expect([set.status, set.body['logo']]).toEqual([200, logoPath()]);
      expect((await business.call('PATCH', `/issuers/${business.issuerId}`, { nombre_comercial: 'Ñandú' })).body['logo']).toBe(logoPath());
      expect((await business.call<{ items: { logo: string }[] }>('GET', '/issuers')).body.items[0]?.logo).toBe(logoPath());
      const stored = await file(logoPath());
      expect([stored.status, stored.headers.get('content-type'), stored.headers.get('x-content-type-options')]).toEqual([200, type, 'nosniff']);
      expect(stored.bytes.equals(image)).toBe(true);
      expect(await images()).toBe(1);
      const removed = await change(null);
      expect([removed.status, removed.body['logo']]).toEqual([200, null]);
      expect(code(await file(logoPath()))).toEqual([404, 'NOT_FOUND']);
      expect(await images()).toBe(0);
    });

    it('may come with the new issuer, and is nobody else’s', async () => {
      const created = await business.call('POST', '/issuers', {
        ruc: '1710034065001', razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false, logo: JPEG.toString('base64'),
      });
      expect(created.status).toBe(201);
      const path = created.body['logo'] as string;
      expect((await file(path)).bytes.equals(JPEG)).toBe(true);
      expect(code(await file(path, await Business.open(stack, { certificate: null })))).toEqual([404, 'NOT_FOUND']);
    });

    it.each([
      ['no base64', 'ñ', 'base64'],
      ['a number', 1, 'string_type'],
      ['an SVG', Buffer.from('<svg/>').toString('base64'), 'image_type'],
      ['half a PNG', png().subarray(0, 60).toString('base64'), 'image_damaged'],
      ['half a JPEG', JPEG.subarray(0, -20).toString('base64'), 'image_damaged'],
      ['an interlaced PNG', png({ interlaced: true }).toString('base64'), 'image_unsupported'],
      ['a bomb of two megapixels', png({ width: 2_000, height: 1_000 }).toString('base64'), 'image_too_large'],
      ['a file over 200 KB', Buffer.alloc(300_000, 1).toString('base64'), 'string_too_long'],
    ])('cannot be %s', async (_name, logo, type) => {
      const answer = await change(logo);
      const { detail } = answer.body as unknown as { detail: { loc: string[]; type: string; msg: string }[] };
      expect([answer.status, detail]).toMatchObject([422, [{ loc: ['body', 'logo'], type, input: null }]]);
      expect(detail[0]?.msg).not.toBe('Valor inválido');
    });

    it('never costs the document: one that cannot be printed is left out and logged', async () => {
      await stack.database.query(`update issuers set logo = $2 where id = $1`, [business.issuerId, Buffer.from('no image at all')]);
      expect(await images()).toBe(0);
      for (let tries = 0; tries < 600 && !stack.logs().includes('printed without the logo'); tries += 1) await sleep(100);
      expect(stack.logs()).toContain('printed without the logo');
      await stack.database.query('update issuers set logo = null where id = $1', [business.issuerId]);
    });
  });

  itWithPoppler('a document on its way says that it is not authorized yet, and has no authorization', async () => {
    await stack.killWorker(0);
    const { document_id, access_key } = await business.accepted();
    const printed = await ride(document_id);
    expect(printed.headers.get('content-disposition')).toBe(`inline; filename="${access_key}.pdf"`);
    expect(wordsOf(printed.bytes)).toContain('PENDIENTE DE AUTORIZACIÓN POR EL SRI');
    expect(wordsOf(printed.bytes)).toContain(access_key);
    expect(code(await file(`/documents/${document_id}/xml?kind=signed`))).toEqual([404, 'NOT_FOUND']);
    expect(code(await file(`/documents/${document_id}/xml?kind=authorized`))).toEqual([404, 'NOT_FOUND']);
  });
});
