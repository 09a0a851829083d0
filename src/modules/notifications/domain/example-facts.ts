import { addDays, guayaquilDay } from '../../../shared/guayaquil.js';
import { buildAccessKey } from '../../../sri/access-key.js';
import type { DocumentTypeCode } from '../../../sri/document-types/content.js';
import type { DocumentFacts } from './document-letter.js';

/** A document that nobody issued, to show what its mail looks like. */
export function exampleFacts(documentType: DocumentTypeCode, environment: 'TEST' | 'PRODUCTION', now: Date): DocumentFacts {
  const issueDate = guayaquilDay(now);
  const ruc = '1790012344001';
  const accessKey = buildAccessKey({
    issueDate, documentType, ruc, environment: environment === 'TEST' ? '1' : '2', establishment: '001', emissionPoint: '002', sequential: 123, numericCode: '12345678',
  });
  return {
    documentType,
    number: '001-002-000000123',
    issueDate,
    total: '115.00',
    accessKey,
    authorizationDate: now,
    buyerName: 'María Pérez',
    issuer: { name: 'Comercial Ejemplo', legalName: 'COMERCIAL EJEMPLO S.A.', ruc },
    modified: documentType === '04' || documentType === '05' ? { documentType: '01', number: '001-002-000000045' } : null,
    trip: documentType === '06' ? { startDate: issueDate, endDate: addDays(issueDate, 1), plate: 'PBA1234' } : null,
    isTest: environment === 'TEST',
  };
}
