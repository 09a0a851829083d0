/**
 * The fields of DocumentCreate (specification 2.1 to 2.4) as data, written by hand: what each takes and what it refuses.
 * `payload.spec.ts` sends every one of them.
 */
export interface PayloadField {
  readonly section: '2.1' | '2.2' | '2.3' | '2.4';
  /** Where it stands in the body. */
  readonly at: readonly (string | number)[];
  readonly required: boolean;
  /** Values that pass the field's own check; what the document then means is another matter. */
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
}

const text = (length: number): string => 'x'.repeat(length);

const uuid = { takes: [], refuses: ['no-uuid', 7, ''] };
const day = { takes: [], refuses: ['2026-02-30', '21/11/2026', '2026-1-1', 20261121, ''] };
const money = {
  takes: [0, 1, 1.5, '0', '1.5', '1.50', '+1.50', 999999999999.99, '999999999999.99'],
  refuses: [-1, -0.01, '-1', '-0.00', 1.005, '1.005', '1e2', '1,50', 'abc', '', true, null, []],
};
const texts = (max: number, min = 0) => ({
  takes: [text(max), text(Math.max(min, 1))],
  refuses: [text(max + 1), 5, ['x'], ...(min > 0 ? [''] : [])],
});
const orNull = (kind: { takes: readonly unknown[]; refuses: readonly unknown[] }) => ({ takes: [...kind.takes, null], refuses: kind.refuses });
const digits = (count: number) => ({ takes: ['1'.repeat(count)], refuses: ['1'.repeat(count - 1), '1'.repeat(count + 1), 'a'.repeat(count), Number('1'.repeat(count))] });
const lineNumber = { takes: [1], refuses: [0, -1, 1.5, '1', null] };
const list = { takes: [], refuses: [[], {}, 'x', null] };

const field = (section: PayloadField['section'], at: PayloadField['at'], required: boolean, kind: { takes: readonly unknown[]; refuses: readonly unknown[] }): PayloadField => ({
  section, at, required, ...kind,
});

const document = (name: string, required: boolean, kind: { takes: readonly unknown[]; refuses: readonly unknown[] }) => field('2.1', [name], required, kind);
const line = (name: string, required: boolean, kind: { takes: readonly unknown[]; refuses: readonly unknown[] }) => field('2.2', ['lines', 0, name], required, kind);
const tax = (name: string, required: boolean, kind: { takes: readonly unknown[]; refuses: readonly unknown[] }) => field('2.3', ['taxes', 0, name], required, kind);
const payment = (name: string, required: boolean, kind: { takes: readonly unknown[]; refuses: readonly unknown[] }) => field('2.4', ['payments', 0, name], required, kind);

export const PAYLOAD_FIELDS: readonly PayloadField[] = [
  document('issuer_id', true, uuid),
  document('establishment_id', true, uuid),
  document('emission_point_id', true, uuid),
  document('document_type', true, { takes: ['01', '04', '05', '06', '07'], refuses: ['1', '02', '99', 1, ''] }),
  document('issue_date', true, day),
  document('subtotal', true, money),
  document('total_discount', false, money),
  document('total_tax', true, money),
  document('total', true, money),
  document('buyer_id_type', false, orNull({ takes: ['04', '05', '06', '07', '08'], refuses: [text(11), 5] })),
  document('buyer_id', false, orNull({ takes: ['1710034065'], refuses: [text(21), 1710034065] })),
  document('buyer_name', false, orNull(texts(300))),
  document('buyer_email', false, orNull({ takes: [`${text(64)}@${text(63)}.${text(63)}.${text(62)}`], refuses: [`${text(64)}@${text(63)}.${text(63)}.${text(63)}`, 'a b@example.com', 'nobody', 5] })),
  document('buyer_address', false, orNull(texts(500))),
  document('modified_document_id', false, orNull(uuid)),
  document('modified_document_type', false, orNull({ takes: ['01'], refuses: ['001', 1] })),
  document('modified_document_number', false, orNull({ takes: ['001-001-000000001'], refuses: [text(21), 1] })),
  document('modified_document_issue_date', false, orNull(day)),
  document('reason', false, orNull(texts(500))),
  document('idempotency_key', false, orNull(texts(255))),
  document('lines', true, list),
  // That a document to issue has one is a test of its own.
  document('taxes', true, { takes: [[]], refuses: [{}, 'x', null] }),
  document('payments', false, { takes: [[]], refuses: [{}, 'x'] }),
  document('numeric_code', true, digits(8)),

  line('line_number', true, lineNumber),
  line('description', true, texts(1000, 1)),
  line('main_code', false, orNull(texts(25))),
  line('aux_code', false, orNull(texts(25))),
  line('quantity', true, { takes: [1, 0.000001, '0.000001', '1.123456'], refuses: [0, '0', '0.000000', -1, '1.1234567', 1.1234567, 'one', null] }),
  line('unit_price', true, { takes: [0, '0', '100.123456', 100], refuses: [-1, '-1', '1.1234567', 'abc', null] }),
  line('discount', false, { ...money, refuses: money.refuses.filter((value) => value !== null) }),
  line('subtotal', true, money),
  line('tax_code', false, { takes: ['2'], refuses: [2, text(11), []] }),
  line('tax_rate_code', true, { takes: ['4'], refuses: [4, text(11), ''] }),

  tax('tax_code', true, texts(10, 1)),
  tax('tax_rate_code', true, texts(10, 1)),
  tax('taxable_base', true, money),
  tax('rate', true, { takes: [0, 1, '0', '1', 0.15, '0.1234'], refuses: [-0.1, 1.0001, '1.0001', '0.12345', 15, '15', 'abc', null] }),
  tax('tax_amount', true, money),

  payment('line_number', true, lineNumber),
  payment('payment_method_code', true, { takes: ['20'], refuses: ['1', '001', 20, ''] }),
  payment('total', true, money),
  payment('term', false, orNull({ takes: [0, 30], refuses: [-1, 1.5, '30'] })),
  payment('time_unit', false, orNull(texts(20))),
];

/** A copy of `body` with another value at a place; `undefined` does not travel, so it takes the field away. */
export function withValue<Body extends Record<string, unknown>>(body: Body, at: PayloadField['at'], value: unknown): Body {
  const copy = structuredClone(body);
  let owner = copy as Record<string | number, unknown>;
  for (const step of at.slice(0, -1)) owner = owner[step] as Record<string | number, unknown>;
  owner[at.at(-1) ?? ''] = value;
  return copy;
}
