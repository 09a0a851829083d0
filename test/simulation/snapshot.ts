/** What the store holds at the end of a history, as the checker reads it; the same from memory and from PostgreSQL. */
export interface StoreSnapshot {
  readonly documents: readonly {
    readonly id: string;
    readonly tenant_id: string;
    readonly issuer_id: string;
    readonly emission_point_id: string;
    readonly document_type: string;
    readonly sequential: number;
    readonly access_key: string;
    readonly status: string;
    readonly version: number;
    readonly idempotency_key: string | null;
    readonly error_code: string | null;
    readonly error_detail: unknown;
    readonly total: string;
    readonly authorization_number: string | null;
    readonly signing_no: number;
    readonly content_revision: number;
    readonly buyer_name: string;
  }[];
  readonly counters: readonly { readonly emission_point_id: string; readonly document_type: string; readonly last_value: number }[];
  readonly history: readonly { readonly document_id: string; readonly version: number; readonly from_status: string | null; readonly trigger: string; readonly to_status: string }[];
  readonly events: readonly { readonly document_id: string; readonly document_version: number; readonly type: string }[];
  readonly attempts: readonly { readonly document_id: string; readonly service: string; readonly finished_at: unknown }[];
  readonly signed: readonly { readonly document_id: string; readonly signing_no: number; readonly digest: string; readonly content_revision: number }[];
  readonly work: readonly { readonly document_id: string; readonly step: string; readonly parked: boolean }[];
  readonly keys: readonly { readonly key: string; readonly issuer_id: string; readonly document_id: string }[];
}
