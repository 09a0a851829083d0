import { Business, type Invoice } from '../support/business.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

interface Refused { error: { code: string; detail: { pointer?: string; rule?: string; loc?: string[]; type?: string }[] | null; request_id: string } }

const line = (change: Invoice = {}): Invoice => ({
  line_number: 1, description: 'Servicio', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4', ...change,
});
const tax = (change: Invoice = {}): Invoice => ({ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00', ...change });
const dayFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000 - 5 * 3_600_000).toISOString().slice(0, 10);

/** Numbers that every business has taken before it is refused, so that a counter exists to stay as it is. */
const TAKEN = 1;

describe('what is refused before it costs a number', () => {
  let stack: RunningStack;
  let business: Business;

  beforeAll(async () => {
    stack = await sharedStack();
    business = await opened();
  });
  afterAll(() => stack.stop());

  const opened = async (): Promise<Business> => {
    const one = await Business.open(stack);
    await one.accepted();
    return one;
  };
  const refuse = async (change: Invoice, by: Business = business, taken = TAKEN): Promise<[number, Refused['error']]> => {
    const answer = await by.call<Refused>('POST', '/documents', by.invoice(change));
    expect(await by.lastNumber()).toBe(taken);
    expect(await stack.database.query('select id from documents where tenant_id = $1', [by.tenantId])).toHaveLength(taken);
    return [answer.status, answer.body.error];
  };

  it.each<[string, Invoice, string]>([
    ['a wrong total', { total: '115.01' }, '/total'],
    ['a wrong subtotal', { subtotal: '99.00', total: '114.00' }, '/subtotal'],
    ['an unknown tax code', { lines: [line({ tax_code: '9' })], taxes: [tax({ tax_code: '9' })] }, '/taxes/0/tax_code'],
    ['an unknown rate code', { lines: [line({ tax_rate_code: '99' })], taxes: [tax({ tax_rate_code: '99' })] }, '/taxes/0/tax_rate_code'],
    ['a rate that is not its code’s', { taxes: [tax({ rate: '0.12', tax_amount: '12.00' })], total_tax: '12.00', total: '112.00' }, '/taxes/0/rate'],
    ['a future date', { issue_date: dayFromNow(2) }, '/issue_date'],
    ['a date too old', { issue_date: dayFromNow(-200) }, '/issue_date'],
    ['a description longer than the SRI takes', { lines: [line({ description: 'x'.repeat(301) })] }, '/lines/0/description'],
    ['a buyer with half an identity', { buyer_id: null }, '/buyer_id'],
    ['payments that do not add up', { payments: [{ line_number: 1, payment_method_code: '20', total: '1.00' }] }, '/payments'],
    ['a final consumer above the cap', { buyer_id_type: '07', buyer_id: '9999999999999', buyer_name: 'CONSUMIDOR FINAL' }, '/total'],
  ])('%s', async (_name, change, pointer) => {
    const [status, error] = await refuse(change);
    expect([status, error.code]).toEqual([400, 'FISCAL_RULE_VIOLATED']);
    expect(error.detail?.some((finding) => finding.pointer?.startsWith(pointer))).toBe(true);
  });

  it.each<[string, Invoice, string]>([
    ['a line break', { buyer_name: 'a\nb' }, 'buyer_name'],
    ['a tab', { lines: [line({ description: 'a\tb' })] }, 'description'],
    ['a control character', { buyer_address: 'a\u0001b' }, 'buyer_address'],
    ['a lone surrogate', { reason: 'a\ud800b' }, 'reason'],
    ['an unknown field', { total_discuont: '1.00' }, 'total_discuont'],
    ['a negative amount', { total: '-1.00' }, 'total'],
    ['too many decimals', { total: '115.001' }, 'total'],
    ['an exponent', { total: '1e2' }, 'total'],
    ['a numeric code of 7 digits', { numeric_code: '1234567' }, 'numeric_code'],
    ['no lines', { lines: [] }, 'lines'],
    ['an id that is none', { issuer_id: 'x' }, 'issuer_id'],
  ])('%s: 422 that names the field', async (_name, change, field) => {
    const [status, error] = await refuse(change);
    expect([status, error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(error.detail?.some((finding) => finding.loc?.includes(field))).toBe(true);
  });

  it('a missing field: 400 that names it, with every other finding', async () => {
    const [status, error] = await refuse({ total: undefined, numeric_code: 'x' });
    expect([status, error.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expect(error.detail?.map((finding) => finding.loc?.at(-1)).sort()).toEqual(['numeric_code', 'total']);
  });

  it('all broken rules in one answer', async () => {
    const [, error] = await refuse({ total: '1.00', issue_date: dayFromNow(3), buyer_id: '123' });
    expect(new Set(error.detail?.map((finding) => finding.pointer)).size).toBeGreaterThanOrEqual(3);
  });

  it('a missing certificate', async () => {
    const bare = await Business.open(stack, { certificate: null });
    const [status, error] = await refuse({}, bare, 0);
    expect([status, error.code]).toEqual([400, 'CERTIFICATE_NOT_FOUND']);
  });

  it('an expired certificate', async () => {
    const late = await opened();
    await stack.database.query(`update certificates set valid_to = now() - interval '1 second' where tenant_id = $1`, [late.tenantId]);
    const [status, error] = await refuse({}, late);
    const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;
    expect([status, error.code, error.detail]).toEqual([400, 'CERTIFICATE_EXPIRED', { certificate_id: expect.any(String) as string, valid_to: instant }]);
  });

  it('a disabled issuer', async () => {
    const off = await opened();
    await stack.database.query('update issuers set disabled_at = now() where tenant_id = $1', [off.tenantId]);
    const [status, error] = await refuse({}, off);
    expect([status, error.code]).toEqual([403, 'ISSUER_DISABLED']);
  });

  it('a bad RUC of the issuer', async () => {
    const mistyped = await opened();
    await stack.database.query(`update issuers set ruc = '9990012345001' where tenant_id = $1`, [mistyped.tenantId]);
    const [status, error] = await refuse({}, mistyped);
    expect([status, error.code, error.detail]).toEqual([400, 'INVALID_RUC', { ruc: '9990012345001' }]);
  });

  it('a bad RUC of the buyer', async () => {
    const [status, error] = await refuse({ buyer_id_type: '04', buyer_id: '9990012345001' });
    expect([status, error.code, error.detail?.map(({ pointer }) => pointer)]).toEqual([400, 'FISCAL_RULE_VIOLATED', ['/buyer_id']]);
  });

  it.each([
    ['establishments', '/establishment_id'],
    ['emission_points', '/emission_point_id'],
  ])('an inactive place (%s)', async (table, pointer) => {
    const closed = await opened();
    await stack.database.query(`update ${table} set is_active = false where tenant_id = $1`, [closed.tenantId]);
    const [status, error] = await refuse({}, closed);
    expect([status, error.code, error.detail?.[0]]).toMatchObject([400, 'FISCAL_RULE_VIOLATED', { pointer, rule: 'place.inactive' }]);
  });

  it('a place of another', async () => {
    const [status, error] = await refuse({ emission_point_id: (await opened()).emissionPointId });
    expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('a bad RUC, when the issuer is created', async () => {
    for (const ruc of ['1790012345000', '9990012345001', '179001234500', '17900123450AB']) {
      const answer = await business.call<Refused>('POST', '/issuers', { ruc, razon_social: 'X', direccion_matriz: 'Y', obligado_contabilidad: false });
      expect([ruc, answer.status, answer.body.error.code]).toEqual([ruc, 400, 'INVALID_RUC']);
    }
  });

  it('a revoked key, at once', async () => {
    const gone = await opened();
    await stack.database.query('update api_keys set revoked_at = now() where tenant_id = $1', [gone.tenantId]);
    const [status, error] = await refuse({}, gone);
    expect([status, error.code]).toEqual([401, 'UNAUTHENTICATED']);
  });
});
