import { guayaquilDay } from '../../../src/shared/guayaquil.js';
import { type BadInput, refuses } from '../../support/bad-input.js';
import { Business } from '../../support/business.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;
const DAY_MS = 86_400_000;

const inDays = (days: number): string => guayaquilDay(new Date(Date.now() + days * DAY_MS));
const noDay = (name: string, issue_date: unknown): BadInput => ({ name, change: { issue_date }, refused: INVALID, at: '/issue_date', because: 'date_type' });

export const dayCases = (running: () => RunningStack): void => describe('days', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('that are none', () => stack, [
    ...['2026-02-30', '2026-13-01', '2026-00-10', '2026-01-00', '2025-02-29', '2026-04-31', '2100-02-29'].map((day) => noDay(`B72 ${day}`, day)),
    ...['2026-1-5', '05/01/2026', '20260105', '2026-01-05T00:00:00Z', '2026-01-05 ', ' 2026-01-05', '+002026-01-05', '0000-01-01', '10000-01-01', '2026-W01-1', '2026-005', '2026-01-05\n', '-2026-01-05'].map((day) =>
      noDay(`B74 ${JSON.stringify(day)}`, day),
    ),
    noDay('B75 seconds since 1970', 1_790_000_000),
    noDay('B75 the text of a Date', new Date(0).toString()),
    noDay('B75 today', 'today'),
    noDay('B75 null', null),
    noDay('B75 a list', ['2026-01-05']),
    noDay('B79 Arabic digits', '٢٠٢٦-٠١-٠٥'),
    noDay('B79 Persian digits', '۲۰۲۶-۰۱-۰۵'),
    noDay('B79 wide digits', '２０２６-０１-０５'),
    ...['from=2026-02-30', 'to=today', 'from=', 'from=2026-01-01&from=2026-01-02'].map((query): BadInput => ({
      name: `B72 GET /tenant/audit-log?${query}`, call: () => ({ method: 'GET', path: `/tenant/audit-log?${query}` }), refused: INVALID, at: `/${query.split('=')[0]}`, because: query.includes('&') ? 'repeated' : 'date_type',
    })),
    ...[['/documents', 'issue_date_from', 'issue_date_to'], ['/documents/export.csv', 'issue_date_from', 'issue_date_to'], ['/documents/export.xlsx', 'issue_date_from', 'issue_date_to'], ['/tenant/audit-log', 'from', 'to']].map(
      ([path, from, to]): BadInput => ({
        name: `B74 ${path} to the day before its first`, call: () => ({ method: 'GET', path: `${path}?${from}=2026-08-02&${to}=2026-08-01` }), refused: INVALID, at: `/${to}`, because: 'range_order',
      }),
    ),
    { name: 'B72 a table as of 30 February', call: () => ({ method: 'GET', path: '/reference/iva-rates?as_of=2024-02-30' }), refused: INVALID, at: '/as_of', because: 'date_type' },
  ]);

  refuses('that no document may bear', () => stack, [
    { name: 'B74 the year 9999', change: { issue_date: '9999-12-31' }, refused: INVALID, at: '/issue_date', because: 'date_type' },
    { name: 'B76 tomorrow in Guayaquil', change: () => ({ issue_date: inDays(1) }), refused: [400, 'FISCAL_RULE_VIOLATED'], at: '/issue_date', because: 'issue_date.future' },
    { name: 'B76 29 February of a year to come', change: { issue_date: '2096-02-29' }, refused: [400, 'FISCAL_RULE_VIOLATED'], at: '/issue_date', because: 'issue_date.future' },
    { name: 'B77 a year ago', change: () => ({ issue_date: inDays(-365) }), refused: [400, 'FISCAL_RULE_VIOLATED'], at: '/issue_date', because: 'issue_date.too_old' },
    { name: 'B77 the day before the oldest', change: () => ({ issue_date: inDays(-91) }), refused: [400, 'FISCAL_RULE_VIOLATED'], at: '/issue_date', because: 'issue_date.too_old' },
  ]);

  it('B73 29 February of a leap year is a day', async () => {
    const business = await Business.open(stack, { certificate: null });
    expect((await business.call('GET', '/reference/iva-rates?as_of=2028-02-29')).status).toBe(200);
    expect((await business.call('GET', '/tenant/audit-log?from=2024-02-29')).status).toBe(200);
  });

  it('B77 yesterday, three days ago and the oldest day are taken with a warning, today without', async () => {
    const business = await Business.open(stack);
    const warned = async (days: number): Promise<unknown> => {
      const answer = await business.call<{ valid: boolean; findings: { rule: string; severity: string }[] }>('POST', '/documents/validate', business.invoice({ issue_date: inDays(days) }));
      return [answer.body.valid, answer.body.findings.filter(({ rule }) => rule.startsWith('issue_date.')).map(({ rule, severity }) => [rule, severity])];
    };
    const warning = [true, [['issue_date.not_today', 'warning']]];
    expect([await warned(0), await warned(-1), await warned(-3), await warned(-90)]).toEqual([[true, []], warning, warning, warning]);
  });

  it('B78 a day before the certificate began is taken by one rule: what counts is that it signs today', async () => {
    const business = await Business.open(stack);
    const [row] = await stack.database.query<{ valid_from: Date }>('select valid_from from certificates where tenant_id = $1', [business.tenantId]);
    expect(inDays(-60) < guayaquilDay(row?.valid_from ?? new Date(0))).toBe(true);
    expect((await business.issue({ issue_date: inDays(-60) })).status).toBe(202);
  });
});
