import { exampleDocuments, exampleInvoice } from '../modules/documents/public.js';
import { generatedFrom } from './markdown.js';

const DAY = '2026-01-15';
const PLACE = { issuer_id: '{issuer_id}', establishment_id: '{establishment_id}', emission_point_id: '{emission_point_id}' };
const INVOICE = '{id of the invoice}';

/** Of the types that may rest on a document which is still on its way. */
const ON_ITS_WAY = 'Where the SRI refuses an original that was on its way, and it is corrected to another `issue_date`, its access key changes as well: the `warnings` of the corrected document then list what names it by its id under the former day (`correction.referred_to`).';

/** What a reader has to know about each type before its example. */
const TYPES: Readonly<Record<string, { readonly title: string; readonly notes: readonly string[] }>> = {
  '01': {
    title: 'Invoice (factura)',
    notes: [
      'Leave out buyer type, id and name together, or give the type 07 alone, to sell to the final consumer; above the cap of the day the buyer must be named.',
      'Leave out `payments` and the issuer\'s default method takes the total.',
      'A line with only `tax_rate_code` gets its IVA from the table of the issue date; `taxes` on the line where it has several.',
      'Exports: `foreign_trade`. Reimbursed expenses: `reimbursements`. Service charge: `tip`.',
    ],
  },
  '03': {
    title: 'Purchase settlement (liquidación de compra)',
    notes: ['You issue it for a supplier who cannot: the buyer fields are the supplier.'],
  },
  '04': {
    title: 'Credit note (nota de crédito)',
    notes: [
      '`POST /documents/{id}/credit-note` makes a draft from an authorized invoice; this is the direct way.',
      '`modified_document_id` fills in type, number and date of the original; give those three for one issued elsewhere. Either may be twelve months old at most (`CREDIT_NOTE_MAX_AGE_MONTHS`).',
      "The number of one of the issuer's own invoices means the same as its id: a note to one that is not authorized yet is `409 INVALID_STATE`. Only an invoice that was given up because the SRI holds its number under another key counts as issued elsewhere.",
      'Notes that are issued together never exceed the original. When they reach its total it becomes `VOIDED_BY_NC`.',
      'A tip, freight or third-party charge of the invoice is given back as a line without tax (`tax_rate_code` `6`). Without it the notes do not reach the total, and the invoice stays `AUTHORIZED`.',
      "Accepted with a warning, on `/documents/validate` and once it is issued: a note to another buyer than its original's; a note that returns a tax which the invoice did not charge, or on a larger base than the invoice has left after earlier notes; a number that the issuer's own emission point has not given out yet.",
      '`/documents/validate` compares the note with what the invoice has left to credit now; the balance is taken when the note is issued. A refused note of the same emission point and numeric code does not count against it, for this may be its correction; one that was issued under the same idempotency key does.',
    ],
  },
  '05': {
    title: 'Debit note (nota de débito)',
    notes: [
      'Each line is a reason for charging more: `description` says why, `quantity` is 1, `subtotal` the amount.',
      "The original is named as in a credit note. One of the issuer's own documents that was refused, given up or annulled is `409 INVALID_STATE`; one that is still on its way to the SRI may be debited. One that was credited in full gets a warning.",
      ON_ITS_WAY,
    ],
  },
  '06': {
    title: 'Delivery guide (guía de remisión)',
    notes: [
      'It carries no money: amounts are 0 and `taxes` has its one zero entry.',
      '`issue_date` is the day on which the transport starts. Several consignees: `transport.destinations`.',
      "`modified_document_id` of one of the issuer's own invoices fills in number, date and authorization number (while the invoice is on its way, its access key). An invoice that was refused, given up or annulled is `409 INVALID_STATE`, and a number, type or day that is not its own is refused; one that was credited in full gets a warning. Of an original named by number alone nothing is compared.",
      ON_ITS_WAY,
    ],
  },
  '07': {
    title: 'Withholding (comprobante de retención)',
    notes: [
      'The buyer fields are the supplier from whom you withhold; `total` is what is withheld.',
      "`modified_document_id` is for a purchase settlement of the issuer's own: other invoices are the supplier's, and named by number. In the short form it fills in type, number and day. The full form takes nothing from it and says so in a warning: `withholding.supporting_documents` name the settlement too.",
      "A purchase settlement of the issuer's own that was refused, given up or annulled is `409 INVALID_STATE` in either form, named by id or, as type 03, by number; one that is still on its way to the SRI may be withheld from. With an authorization number that is not its access key a supporting document is another one.",
      ON_ITS_WAY,
      'With `withholding` it is the full form (2.0.0), which most issuers must use. Without it the short form (1.0.0) is issued and says so in a warning.',
      "The full form has no place for a special-taxpayer number of more than five characters: such a one of the issuer's is printed, but not sent to the SRI, and a warning says so.",
    ],
  },
};

/** What can be done with a document, its buyer and its products besides. */
const AROUND: readonly string[] = [
  '## Around a document',
  '',
  '**Before.** `POST /documents/validate` runs every check without effect. There and on drafts (`POST /documents/drafts`), `subtotal`,',
  '`total_tax`, `total` and `taxes` are computed when all four are left out (but not for a withholding without `withholding`).',
  '',
  '**Changing a draft.** `PATCH /documents/{id}` leaves what its body does not name. Totals that equal the computed ones follow every',
  'change that gives none of them, also where a caller gave them; others stay and are checked, unless `lines` are new. At another',
  '`issue_date` lines whose taxes are those of their product take them anew, so that a tourism rate comes and goes with its day.',
  '',
  '**The answer** has `document_id`, `status` and `access_key`. With `Prefer: wait=N` the call waits up to N seconds for the final',
  'state. Without it, poll `GET /documents/{id}` until `AUTHORIZED`, `REJECTED`, `MANUAL_REVIEW_REQUIRED` or `FAILED_PERMANENT`,',
  'or until `error.detail.suggested_action` is `resume_pause` or `upload_certificate`: then it waits for a person',
  '([states.md](states.md)). A refused request uses no number; each refusal has a stable code ([errors.md](errors.md)). A repeated',
  'call: [idempotency.md](idempotency.md).',
  '',
  '**Many of them.** A key or person issues 60 a minute (`RATE_LIMIT_ISSUE_PER_MINUTE`, [configuration.md](configuration.md)):',
  '`POST /documents`, `/documents/{id}/issue` and `/correct` are counted together. Beyond, `429` tells in `Retry-After` when to go on; no',
  'number is used. Whoever issues in batches spreads them, or asks the operator for more.',
  '',
  '**Its files.** `GET /documents/{id}/xml?kind=signed` is what was sent, `kind=authorized` what the buyer receives.',
  '`GET /documents/{id}/ride` is the printed document (PDF).',
  '',
  '**Afterwards.** `GET /documents/{id}/history` shows what it went through. It may be acted on by `POST /documents/{id}/retry`,',
  '`/reconcile`, `/correct`, `/abandon`, `/cancel` and `/credit-note`; where its state does not allow that, `409` says what is',
  'allowed ([states.md](states.md), every move in [lifecycle.md](lifecycle.md)).',
  '',
  '**Mails.** Buyers are mailed each authorized document with XML and RIDE. `send_email: false` in a document or `email_buyers` of',
  'the issuer opt out; `POST /documents/{id}/email` mails it again, or to somebody else. `/tenant/mail-settings` holds language,',
  'sender and texts. They need `SMTP_URL`; `npm run mail-bounce` takes those that come back',
  '([operating.md](operating.md#mails-that-come-back)).',
  '',
  '**Lists.** `GET /documents?modified_document_id=` lists what refers to a document, such as its credit notes; the API description has the',
  'other filters. `GET /documents/export.csv` and `.xlsx` are files of the documents in a list (`.csv?separator=semicolon` for',
  'spreadsheets set to Spanish).',
  '',
  '**Products.** `/products` is the catalogue of what you sell; `GET /products/export.csv` (`separator=semicolon` too) and',
  '`POST /products/import` export and import it as CSV. With a product\'s `main_code`, a line of a draft needs only `line_number` and',
  '`quantity` besides, and `taxes` where the product has ICE per litre, gram or piece.',
  '',
  '**Buyers.** `/buyers` keeps profiles of buyers and learns them from authorized documents. The `email` of a profile is for your own',
  'use: a document is mailed to its own `buyer_email`.',
  '`GET /buyers/lookup?identifier=&type=ruc|cedula` finds who has a number: in your own profiles, in an earlier answer of the SRI\'s',
  'registry, or by asking that registry (`SRI_REGISTRY_URL`).',
  '',
];

/** Elements of the SRI's schemas for which a request has no field. */
const LEFT_OUT: readonly string[] = [
  '## What has no field',
  '',
  "The SRI's schemas have elements for which there is no field. Whoever needs one of these cannot issue that document here; among them are",
  '',
  '- subsidies (`totalSubsidio`, `precioSinSubsidio`): fuel and other subsidised goods;',
  '- withholdings inside an invoice (`retenciones`): sellers of fuel, publishers of newspapers;',
  '- IVA that is refunded to elderly buyers within the document (`valorDevolucionIva`);',
  '- a withholding on oneself (document type 42), whose supporting document is the withholding itself: its number is taken after the body is checked, so a body that names it gets a warning (`withholding.self`);',
  '- invoices that are notified as negotiable in bulk (`tipoNegociable`), and documents of fiscal printers (`maquinaFiscal`).',
];

/** `docs/issuing.md`: one body for each document type, those that the demonstration issues. */
export function issuingPage(): string {
  const bodies: readonly (readonly [type: string, body: object])[] = [
    ['01', exampleInvoice(PLACE, DAY, '12345678')],
    ...exampleDocuments(PLACE, DAY, INVOICE).map(({ type, body }) => [type, body('12345678')] as const),
  ];
  return [
    generatedFrom('Issuing each document type', 'the bodies that `npm run demo` issues (`src/modules/documents/documents.examples.ts`)'),
    'All six types go through `POST /documents`; `document_type` says which. The answer is `202` with id, state and access key.',
    'Every rule that a body is held against, with its reference: [rules.md](rules.md). Codes as of a day:',
    '`GET /reference/{table}?as_of=YYYY-MM-DD`. Try a body without effect: `POST /documents/validate`.',
    '',
    '`GET /reference/countries` holds only an extract of the SRI\'s table 25. Country codes beyond it are taken as given where they have',
    'three digits (abroad in a withholding: three or four).',
    '',
    'Common to all: `numeric_code` is any eight digits of yours and becomes part of the access key.',
    '',
    '`issue_date` is a day in Ecuador, neither in the future nor more than `MAX_ISSUE_DATE_AGE_DAYS` (90) days ago. Put today in the',
    `place of the ${DAY} of the examples: an older day is refused (\`issue_date.too_old\`), and the SRI wants documents on their day of issue.`,
    '',
    '`additional_info` is pairs of name and value that are printed. A document carries 15 at most, those included that the service adds:',
    "the platform's RUC (`RUC Proveedor`) where `PROVIDER_RUC` names one, and `Gran Contribuyente` of a great taxpayer in 01, 03, 04",
    'and 05. So 15, 14 or 13 are left.',
    '',
    ...bodies.flatMap(([type, body]) => section(type, body)),
    ...AROUND,
    ...LEFT_OUT,
    '',
  ].join('\n');
}

function section(type: string, body: object): string[] {
  const about = TYPES[type];
  if (about === undefined) throw new Error(`docs: say what document type ${type} is`);
  return [`## ${type}: ${about.title}`, '', ...about.notes.map((note) => `- ${note}`), '', '```json', JSON.stringify(body, null, 2), '```', ''];
}
