import { Business } from '../../support/business.js';
import { type RunningStack, sharedStack } from '../../support/stack.js';
import { PAYLOAD_FIELDS, withValue } from './payload-fields.js';

interface Refused extends Record<string, unknown> {
  error: { code: string };
  detail: { loc: string[]; type: string }[];
}

/** Interface specification, sections 2.1 to 2.4: every field of the creation payload. */
describe('specification 2: the creation payload', () => {
  let stack: RunningStack;
  let business: Business;
  let body: Record<string, unknown>;

  beforeAll(async () => {
    stack = await sharedStack();
    business = await Business.open(stack);
    body = business.invoice();
  });
  afterAll(async () => {
    expect(await business.lastNumber()).toBe(0);
    await stack.stop();
  });

  const named = (at: readonly (string | number)[]): string[] => ['body', ...at.map(String)];
  const show = (value: unknown): string => JSON.stringify(value).slice(0, 40);

  describe.each(['/documents', '/documents/drafts', '/documents/validate'])('of POST %s', (path) => {
    it.each(PAYLOAD_FIELDS.map((field) => [`${field.section} ${field.at.join('.')}`, field] as const))('%s refuses what is beyond its bounds and names the field', async (_name, { at, refuses }) => {
      for (const value of refuses) {
        const { status, body: answer } = await business.call<Refused>('POST', path, withValue(body, at, value));
        expect([show(value), status, answer.error.code]).toEqual([show(value), 422, 'VALIDATION_FAILED']);
        expect(answer.detail.map(({ loc }) => loc)).toContainEqual(named(at));
      }
    });
  });

  it.each(PAYLOAD_FIELDS.filter(({ takes }) => takes.length > 0).map((field) => [`${field.section} ${field.at.join('.')}`, field] as const))(
    '%s takes what is within its bounds',
    async (_name, { at, takes }) => {
      for (const value of takes) {
        const { status } = await business.call('POST', '/documents/validate', withValue(body, at, value));
        expect([show(value), status]).toEqual([show(value), 200]);
      }
    },
  );

  it.each(PAYLOAD_FIELDS.filter(({ required }) => required).map((field) => [`${field.section} ${field.at.join('.')}`, field] as const))(
    '%s is required',
    async (_name, { at }) => {
      const { status, body: answer } = await business.call<Refused>('POST', '/documents', withValue(body, at, undefined));
      expect([status, answer.error.code]).toEqual([400, 'INVALID_PAYLOAD']);
      expect(answer.detail).toContainEqual(expect.objectContaining({ loc: named(at), type: 'missing' }));
    },
  );

  it.each(PAYLOAD_FIELDS.filter(({ required }) => !required).map((field) => [`${field.section} ${field.at.join('.')}`, field] as const))(
    '%s may be left out',
    async (_name, { at }) => {
      expect((await business.call('POST', '/documents/validate', withValue(body, at, undefined))).status).toBe(200);
    },
  );

  it('2.1 taxes has one entry at least to be issued; a draft may have none, as where none were found for its lines', async () => {
    const none = { ...body, taxes: [] };
    const { status, body: answer } = await business.call<Refused>('POST', '/documents', none);
    expect([status, answer.error.code, answer.detail]).toMatchObject([422, 'VALIDATION_FAILED', [{ loc: ['body', 'taxes'], type: 'too_short' }]]);
    expect((await business.call('POST', '/documents/drafts', none)).status).toBe(201);
    expect((await business.call('POST', '/documents/validate', none)).body).toMatchObject({ valid: false, findings: [{ rule: 'shape.empty', pointer: '/taxes' }] });
  });

  it('2.1 a discount that is left out is 0.00, 2.2 that of a line too, and its tax is the IVA', async () => {
    const { total_discount: _absent, ...without } = body;
    const { status, body: draft } = await business.call<{ id: string; total_discount: string }>('POST', '/documents/drafts', without);
    expect([status, draft.total_discount]).toEqual([201, '0.00']);
    const { body: record } = await business.call<{ lines: { discount: string; tax_code: string }[] }>('GET', `/documents/${draft.id}`);
    expect(record.lines).toMatchObject([{ discount: '0.00', tax_code: '2' }]);
  });

  it('4.2 a draft takes the same fields, and is an invoice where no type is named', async () => {
    const { document_type: _absent, ...untyped } = body;
    const { status, body: draft } = await business.call('POST', '/documents/drafts', untyped);
    expect([status, draft]).toMatchObject([201, { document_type: '01', status: 'DRAFT', sequential: null, access_key: null, authorization_number: null }]);
  });
});
