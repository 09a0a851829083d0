import type { Queue } from 'bull';
import type { IssuanceJob } from '../../src/platform/queue/issuance-bell.js';
import type { IssuedDocument } from '../../src/modules/documents/use-cases/issue-document.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import type { RequestBody } from './bodies.js';
import type { Api, Ports } from './programs.js';
import type { AuthorizationPort, ReceptionPort } from './sri.js';
import type { SimulatedTransaction, Store, StoreAccess } from './store.js';

/** A mistake put between the service and its ports, to see whether the harness notices. */
export interface PlantedBug {
  readonly name: string;
  /** It takes hundreds of histories to find it. */
  readonly isRare?: true;
  readonly Transaction?: new (access: StoreAccess) => SimulatedTransaction;
  readonly reception?: (below: ReceptionPort) => ReceptionPort;
  readonly authorization?: (below: AuthorizationPort, store: Store) => AuthorizationPort;
  readonly startApi?: (ports: Ports) => Api;
  /** `memory` lives as long as Redis. */
  readonly queue?: (below: Queue<IssuanceJob>, memory: Set<string>) => Queue<IssuanceJob>;
  readonly issue?: (api: Api, tenant: TenantContext, body: RequestBody, key: string | null, raw: RawRequest) => Promise<IssuedDocument>;
}

/** The bytes of a request, which may differ where the request is the same; and those of the first with a key. */
export interface RawRequest {
  readonly text: string;
  readonly seen: Map<string, string>;
}

export const NO_BUG: PlantedBug = { name: 'none' };
