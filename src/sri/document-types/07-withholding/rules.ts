import { money, sameDecimal, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { percentOf } from '../../money.js';
import { lookup } from '../../tables/code-table.js';
import { FINAL_CONSUMER } from '../../tables/documents.js';
import { PERSON_KINDS } from '../../tables/supporting-documents.js';
import { WITHHELD_TAX } from '../../tables/withholding.js';
import type { DocumentContent, DocumentTax, IssuerSnapshot, Withholding } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkBuyer } from '../rules/buyer.js';
import { checkCarriedFields, checkCarriedLineFields, type OptionalField } from '../rules/carried-fields.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { standsForNone } from '../rules/modified-document.js';
import { defineRules, excerpt, finding, repeated } from '../rules/rule.js';
import { checkSupport, MODIFIED_POINTERS, modifiedAsSupport } from '../rules/supporting-reference.js';
import { checkTexts } from '../rules/texts.js';
import { checkSummary, checkWithholdingTotals } from './summary.js';
import { checkDelay, checkSupportingDocument } from './supporting-document.js';
import { checkWithheldTax } from './withheld-tax.js';

const ANNEX = 'Ficha técnica 2.32, anexo del comprobante de retención';

const RULES = defineRules({
  'withholding.short_form': {
    severity: 'warning',
    es: 'Se emite la versión 1.0.0; los agentes de retención deben emitir la 2.0.0: envíe withholding',
    en: 'Version 1.0.0 is issued; withholding agents must issue 2.0.0: send withholding',
    reference: 'Res. NAC-DGERCGC22-00000024',
  },
  'withholding.subject': {
    es: 'No se retiene al consumidor final: identifique al sujeto retenido',
    en: 'Nothing is withheld from the final consumer: identify the subject',
    reference: 'Ficha técnica 2.32, tabla 6 y mensaje 69',
  },
  'withholding.self': {
    severity: 'warning',
    es: 'El sustento (42) de una autorretención es ella misma: verifique que su número sea el que esta va a tomar',
    en: 'The support (42) of a withholding on oneself is that withholding: verify that its number is the one that this takes',
    reference: 'Ficha técnica 2.32, anexo 19',
  },
  'withholding.subject_type': {
    es: 'El tipo de sujeto (01 persona natural, 02 sociedad) va con identificación del exterior (08) y solo con ella',
    en: 'The type of subject (01 person, 02 company) goes with a foreign identification (08) and only with it',
    reference: `${ANNEX} 2.0.0 y mensaje 52`,
  },
  'withholding.fiscal_period': {
    es: 'El período fiscal es un mes mm/aaaa, no posterior al de emisión',
    en: 'The fiscal period is a month mm/yyyy, not later than that of issue',
    reference: ANNEX,
  },
  'withholding.fiscal_period_unusual': {
    severity: 'warning',
    es: 'El período fiscal no es el mes de emisión ni el de un documento de sustento',
    en: 'The fiscal period is neither the month of issue nor that of a supporting document',
    reference: ANNEX,
  },
  'withholding.support_missing': {
    es: 'La retención debe decir su documento de sustento: tipo, número y fecha de emisión',
    en: 'The withholding must tell its supporting document: type, number and issue date',
    reference: ANNEX,
  },
  'withholding.supports_empty': {
    es: 'Se necesita al menos un documento de sustento',
    en: 'At least one supporting document is needed',
    reference: `${ANNEX} 2.0.0`,
  },
  'withholding.support_repeated': {
    es: 'Este documento de sustento ya está con el mismo código de sustento',
    en: 'This supporting document is listed already with the same sustento code',
    reference: `${ANNEX} 2.0.0`,
  },
  'withholding.tariff_unused': {
    severity: 'warning',
    es: 'En la forma corta el porcentaje a retener sale de rate: tariff dice otro y no se envía al SRI',
    en: 'In the short form the percentage withheld comes from rate: tariff tells another one and is not sent to the SRI',
    reference: `${ANNEX} 1.0.0`,
  },
  'withholding.special_taxpayer': {
    severity: 'warning',
    es: 'La versión 2.0.0 admite de 3 a 5 caracteres en el número de contribuyente especial: este no se envía al SRI, y sí se imprime',
    en: 'Version 2.0.0 takes 3 to 5 characters in the special-taxpayer number: this one is not sent to the SRI, but is printed',
    reference: `${ANNEX} 2.0.0`,
  },
  'withholding.income_base_unusual': {
    severity: 'warning',
    es: 'Las bases de renta no suman el subtotal del documento de sustento',
    en: 'The income-tax bases do not add up to the subtotal of the supporting document',
    reference: ANNEX,
  },
});

const FOREIGN_ID = '08';
const CEDULA_DIGITS = 10;
/** Presumptive withholding; by oneself, where the subject is the issuer. */
const SELF_WITHHELD = '42';
/** In the full form. */
const SPECIAL_TAXPAYER = /^[A-Za-z0-9]{3,5}$/;
const SHORT_FIELDS: readonly OptionalField[] = [
  'modifiedDocumentId',
  'modifiedDocumentType',
  'modifiedDocumentNumber',
  'modifiedDocumentIssueDate',
];

/** Every rule of the withholding certificate in one pass, in the form that the content asks for. */
export function checkWithholding(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  const { withholding } = content;
  return [
    ...checkIssueDate(content, context),
    ...checkBuyer(content, issuer),
    ...checkSubject(content),
    ...checkSelf(content, issuer),
    ...checkLines(content),
    ...checkWithholdingTotals(content),
    ...(withholding === null ? checkShortForm(content) : checkFullForm(content, withholding, issuer)),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkCarriedFields(content, withholding === null ? SHORT_FIELDS : ['withholding']),
    ...checkCarriedLineFields(content, ['unit_of_measure', 'additional_details']),
  ];
}

function* checkSubject({ buyerIdType }: DocumentContent): Generator<Finding> {
  if (buyerIdType === FINAL_CONSUMER.idType) {
    yield finding(RULES['withholding.subject'], '/buyer_id_type', '04, 05, 06, 08', buyerIdType);
  }
}

function* checkSelf(content: DocumentContent, { ruc }: IssuerSnapshot): Generator<Finding> {
  if (content.buyerId !== ruc && content.buyerId !== ruc.slice(0, CEDULA_DIGITS)) return;
  const supports = [
    [content.modifiedDocumentType, MODIFIED_POINTERS.documentType],
    ...(content.withholding?.supportingDocuments ?? []).map(({ documentType }, index) => [documentType, `/withholding/supporting_documents/${index}/document_type`] as const),
  ] as const;
  for (const [type, at] of supports) if (type === SELF_WITHHELD) yield finding(RULES['withholding.self'], at, null, type);
}

function* checkShortForm(content: DocumentContent): Generator<Finding> {
  yield finding(RULES['withholding.short_form'], '/withholding');
  const support = modifiedAsSupport(content);
  const at = MODIFIED_POINTERS;
  for (const name of ['documentType', 'number', 'issueDate'] as const) {
    if (support[name] === null || support[name] === '') yield finding(RULES['withholding.support_missing'], at[name]);
  }
  yield* checkSupport(support, at, content.issueDate);
  if (support.issueDate !== null) yield* checkDelay(support.issueDate, at.issueDate, content.issueDate);
  for (const [index, tax] of content.taxes.entries()) {
    const place = `/taxes/${index}`;
    yield* checkWithheldTax(
      {
        taxCode: tax.taxCode,
        code: tax.taxRateCode,
        base: tax.taxableBase,
        percent: percentOf(tax.rate),
        amount: tax.taxAmount,
      },
      {
        taxCode: `${place}/tax_code`,
        code: `${place}/tax_rate_code`,
        percent: `${place}/rate`,
        amount: `${place}/tax_amount`,
      },
      support.issueDate === null ? [content.issueDate] : [content.issueDate, support.issueDate],
    );
    yield* checkUnusedTariff(tax, place);
  }
  const income = content.taxes.filter(({ taxCode }) => taxCode === WITHHELD_TAX.income);
  const base = sum(income.map(({ taxableBase }) => taxableBase));
  const net = sum(content.lines.map(({ subtotal }) => subtotal));
  if (income.length > 0 && !base.eq(net)) {
    yield finding(RULES['withholding.income_base_unusual'], '/taxes', money(net), money(base));
  }
}

/** A tariff that is not the rate is nowhere in the document: what is withheld is `rate`. */
function* checkUnusedTariff({ rate, tariff }: DocumentTax, at: string): Generator<Finding> {
  const percent = percentOf(rate);
  if (tariff !== null && !sameDecimal(tariff, percent)) {
    yield finding(RULES['withholding.tariff_unused'], `${at}/tariff`, percent, tariff);
  }
}

function* checkFullForm(
  content: DocumentContent,
  withholding: Withholding,
  issuer: IssuerSnapshot,
): Generator<Finding> {
  const { supportingDocuments: documents } = withholding;
  if (specialTaxpayerOf(issuer, withholding) !== issuer.specialTaxpayer) {
    yield finding(RULES['withholding.special_taxpayer'], '/issuer_id', '3–5', issuer.specialTaxpayer);
  }
  yield* checkSubjectType(content, withholding.subjectType);
  yield* checkPeriod(content, withholding);
  const at = '/withholding/supporting_documents';
  if (documents.length === 0) yield finding(RULES['withholding.supports_empty'], at);
  const identity = ({ sustentoCode, documentType, number }: (typeof documents)[number]) =>
    `${sustentoCode}/${documentType}/${number}`;
  for (const [document, index] of repeated(documents, identity)) {
    if (standsForNone(document.number)) continue;
    yield finding(RULES['withholding.support_repeated'], `${at}/${index}/number`, null, excerpt(document.number));
  }
  for (const [index, document] of documents.entries()) {
    yield* checkSupportingDocument(document, `${at}/${index}`, content);
  }
  yield* checkSummary(content, documents);
}

function* checkSubjectType({ buyerIdType, issueDate }: DocumentContent, type: string | null): Generator<Finding> {
  const wanted = buyerIdType === FOREIGN_ID;
  const known = type !== null && lookup(PERSON_KINDS, type, issueDate) !== undefined;
  if (wanted ? !known : type !== null) {
    yield finding(RULES['withholding.subject_type'], '/withholding/subject_type', wanted ? '01, 02' : null, type);
  }
}

function* checkPeriod({ issueDate }: DocumentContent, withholding: Withholding): Generator<Finding> {
  const { fiscalPeriod } = withholding;
  const [, month, year] = /^(0[1-9]|1[012])\/(20[0-9]{2})$/.exec(fiscalPeriod) ?? [];
  const pointer = '/withholding/fiscal_period';
  if (month === undefined || year === undefined || `${year}-${month}` > issueDate.slice(0, 7)) {
    yield finding(RULES['withholding.fiscal_period'], pointer, fiscalPeriodOf(issueDate), excerpt(fiscalPeriod));
    return;
  }
  const usual = [issueDate, ...withholding.supportingDocuments.map((document) => document.issueDate)];
  if (!usual.some((day) => fiscalPeriodOf(day) === fiscalPeriod)) {
    yield finding(RULES['withholding.fiscal_period_unusual'], pointer, fiscalPeriodOf(issueDate), fiscalPeriod);
  }
}

/** The special-taxpayer number as the form takes it: the full one has no place for a longer one, which is optional there. Null: none is written. */
export function specialTaxpayerOf({ specialTaxpayer: number }: IssuerSnapshot, withholding: Withholding | null): string | null {
  return withholding === null || number === null || SPECIAL_TAXPAYER.test(number) ? number : null;
}

/** The month of a day as `periodoFiscal` writes it: `mm/yyyy`. */
export function fiscalPeriodOf(day: string): string {
  return `${day.slice(5, 7)}/${day.slice(0, 4)}`;
}
