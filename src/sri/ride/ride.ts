import PDFDocument from 'pdfkit';
import { guayaquilMidnight } from '../../shared/guayaquil.js';
import type { DocumentTypeCode } from '../document-types/content.js';
import { documentNumber, type RideInput, TITLES } from './input.js';
import { markOf } from './marks.js';
import { beside } from './page/block.js';
import { CONTENT_WIDTH, Flow, PAGE } from './page/flow.js';
import { registerFonts } from './page/fonts.js';
import { Pen } from './page/pen.js';
import { documentBlock } from './parts/document-block.js';
import { openPage, drawFeet } from './parts/furniture.js';
import { issuerBlock } from './parts/issuer-block.js';
import { creditNoteBody } from './types/credit-note.js';
import { debitNoteBody } from './types/debit-note.js';
import { deliveryGuideBody } from './types/delivery-guide.js';
import { invoiceBody } from './types/invoice.js';
import { purchaseSettlementBody } from './types/purchase-settlement.js';
import type { RideBody } from './types/ride-type.js';
import { withholdingBody } from './types/withholding.js';

const BODIES: Readonly<Record<DocumentTypeCode, RideBody>> = {
  '01': invoiceBody,
  '03': purchaseSettlementBody,
  '04': creditNoteBody,
  '05': debitNoteBody,
  '06': deliveryGuideBody,
  '07': withholdingBody,
};

/** Frame of the number and access key; wide enough for the barcode with its quiet zones. */
const DOCUMENT_WIDTH = 264;
const HEADER_GAP = 16;

/**
 * The printed representation (RIDE) of a document as PDF, A4: ficha técnica, section
 * 9.19 to 9.21 and annex 2. Equal input gives equal bytes: the file's dates are those
 * of the document. Expects normalised content.
 */
export async function renderRide(input: RideInput): Promise<Buffer> {
  const document = newDocument(input);
  const bytes = collect(document);
  const pen = new Pen(document);
  const mark = markOf(input.status, input.issuer.environment);
  const flow = new Flow(pen, (first) => {
    document.addPage();
    return openPage(pen, input, mark, first);
  });
  flow.place(header(pen, input), 10);
  BODIES[input.content.documentType](flow, input);
  drawFeet(document, pen, input);
  document.end();
  return bytes;
}

function header(pen: Pen, input: RideInput): ReturnType<typeof beside> {
  const left = issuerBlock(pen, input.issuer, input.logo, CONTENT_WIDTH - DOCUMENT_WIDTH - HEADER_GAP);
  return beside(left, documentBlock(pen, input, DOCUMENT_WIDTH), CONTENT_WIDTH - DOCUMENT_WIDTH);
}

function newDocument(input: RideInput): PDFKit.PDFDocument {
  const { content, issuer, numbering, authorization } = input;
  const date = authorization?.date ?? guayaquilMidnight(content.issueDate);
  const document = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    lang: 'es-EC',
    displayTitle: true,
    // No default font: one that opens a registered font a second time would defeat the library's font cache.
    font: '',
    info: {
      Title: `${TITLES[content.documentType]} ${documentNumber(input)}`,
      Author: issuer.legalName,
      Subject: `R.U.C. ${issuer.ruc}`,
      Keywords: numbering?.accessKey ?? '',
      Creator: 'Sello',
      Producer: 'Sello',
      CreationDate: date,
      ModDate: date,
    },
  });
  registerFonts(document);
  return document;
}

function collect(document: PDFKit.PDFDocument): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
}
