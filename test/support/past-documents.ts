import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import type { SeededTenant } from './seed.js';

export interface PastIssue {
  readonly day: string;
  readonly type?: string;
  readonly total?: string;
  readonly modifies?: string;
  /** Left on its way to the SRI. */
  readonly isMoving?: boolean;
}

export interface IssuedInThePast {
  readonly id: string;
  readonly accessKey: string;
  readonly sequential: number;
  readonly signed: Buffer;
  readonly authorization: Buffer;
}

const WAY = ['XML_GENERATED', 'SIGNED', 'RECEPTION_PENDING', 'SUBMITTED_TO_SRI', 'RECEIVED_BY_SRI', 'AUTHORIZATION_PENDING', 'AUTHORIZED'];

/** Issues and authorizes a document on a day of the past, by the functions that the service calls. */
export async function issueInThePast(service: DataSource, tenant: SeededTenant, issue: PastIssue): Promise<IssuedInThePast> {
  const { day, type = '01', total = '100.00', modifies } = issue;
  const at = `${day}T15:00:00Z`;
  const id = randomUUID();
  const header = {
    issuer_id: tenant.issuerId, establishment_id: tenant.establishmentId, emission_point_id: tenant.emissionPointId, sri_environment: 'TEST', document_type: type,
    issue_date: day, subtotal: total, total_discount: '0.00', total_tax: '0.00', total, modified_document_id: modifies ?? null,
    buyer_id_type: '05', buyer_id: '1710034065', buyer_name: 'María Pérez', buyer_email: 'maria@example.com',
  };
  const [answer] = await service.query<{ response: { access_key: string } }[]>('select response from issue_document($1, $2, $3, $4, $5, $6, $7, $8, null, null)', [
    tenant.tenantId, tenant.apiKeyId, id, at, JSON.stringify(header), JSON.stringify({ numericCode: '12345678', total }),
    JSON.stringify({ ruc: tenant.ruc, establishmentCode: '001', emissionPointCode: '002' }), '[]',
  ]);
  const accessKey = answer?.response.access_key ?? '';
  const [signed, authorization] = [Buffer.from(`<?xml version="1.0"?><factura id="${id}">ñ €\r\n</factura>`), Buffer.from(`<autorizacion>${accessKey}<![CDATA[x]]></autorizacion>`)];
  const moves = WAY.map((to) => ({ trigger: 'test', to })).slice(0, issue.isMoving === true ? 4 : WAY.length);
  const advance = (status: string, version: number, steps: unknown[], events: unknown[], records: unknown, bytes: Buffer): Promise<unknown> =>
    service.query('select advance_document($1, $2, $3, $4, null, $5, $6, $7, $8, $9, $10, $11)', [
      tenant.tenantId, id, status, version, at, JSON.stringify(steps), JSON.stringify({ signing_no: 1, received_at: at }),
      issue.isMoving === true ? JSON.stringify({ step: 'submit', due_at: at }) : null, JSON.stringify(events), JSON.stringify(records), gzipSync(bytes),
    ]);
  await advance('NUMBER_RESERVED', 1, moves, [{ id: randomUUID(), type: 'document.authorized' }], {
    signing: { signing_no: 1, certificate_id: tenant.certificateId, digest: 'd' },
    asked: { id: randomUUID(), service: 'authorization', signing_no: 1, started_at: at, outcome: 'authorized', messages: [] },
  }, signed);
  if (issue.isMoving !== true) await advance('AUTHORIZED', 1 + moves.length, [], [], { authorization: { state: 'AUTORIZADO' } }, authorization);
  return { id, accessKey, sequential: Number(accessKey.slice(30, 39)), signed, authorization };
}
