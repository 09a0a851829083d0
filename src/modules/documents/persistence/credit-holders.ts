import type { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { CreditHolder } from '../domain/credit-note.js';
import { AT_ITS_PLACE, PRINTED_NUMBER } from './printed-number.js';

/** Those that can be given up, and the newest, are enough to go by; `GET /documents?modified_document_id=` lists them all. */
const MOST = 10;

/** The credit notes that hold the balance of an invoice (`credit_left`), refused ones first, then the newest; without `exceptId`, the note that was refused for them. */
export const creditHolders = (transaction: TenantTransaction, tenantId: string, originalId: string | null, exceptId: string | null): Promise<CreditHolder[]> =>
  transaction.run(tenantId, (manager) =>
    manager.query<CreditHolder[]>(
      `select d.id as document_id, ${PRINTED_NUMBER} as number, d.status, d.total::text as total
       from documents d ${AT_ITS_PLACE}
       where d.tenant_id = $1 and d.modified_document_id = $2 and d.document_type = '04' and d.id is distinct from $3
         and not came_to_nothing(d.status, d.error_code, d.error_detail)
       order by d.status = 'REJECTED' desc, d.created_at desc, d.id desc limit $4`,
      [tenantId, originalId, exceptId, MOST],
    ),
  );
