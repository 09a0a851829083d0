import type { Taxpayer } from '../domain/taxpayer.js';

/** The SRI's public registry of taxpayers. */
export interface TaxpayerRegistry {
  /**
   * Who has a RUC; null when the registry says that nobody has.
   * @throws RegistryUnavailable when it says neither
   */
  find(ruc: string): Promise<Taxpayer | null>;
}

/** The registry could not be asked, or its answer says nothing. Holds no personal data. */
export class RegistryUnavailable extends Error {
  override readonly name = 'RegistryUnavailable';
}

export const TAXPAYER_REGISTRY = Symbol('TaxpayerRegistry');
