import type { IssuedDocument } from '../../src/modules/documents/use-cases/issue-document.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import type { RequestBody } from './bodies.js';
import type { Api, Ports } from './programs.js';
import type { AuthorizationPort, ReceptionPort } from './sri.js';
import type { SimulatedTransaction, Store, StoreAccess } from './store.js';

/** A mistake put between the service and its ports, to see whether the harness notices. */
export interface PlantedBug {
  readonly name: string;
  readonly Transaction?: new (access: StoreAccess) => SimulatedTransaction;
  readonly reception?: (below: ReceptionPort) => ReceptionPort;
  readonly authorization?: (below: AuthorizationPort, store: Store) => AuthorizationPort;
  readonly startApi?: (ports: Ports) => Api;
  readonly startWorker?: (ports: Ports) => void;
  readonly issue?: (api: Api, tenant: TenantContext, body: RequestBody, key: string | null, request: number) => Promise<IssuedDocument>;
}

export const NO_BUG: PlantedBug = { name: 'none' };
