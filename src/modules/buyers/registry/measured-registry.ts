import type { Meters } from '../../../platform/observability/meters.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import type { TaxpayerRegistry } from './taxpayer-registry.js';

/** Notes how long the registry takes to answer. */
export class MeasuredRegistry implements TaxpayerRegistry {
  constructor(
    private readonly registry: TaxpayerRegistry,
    private readonly meters: Meters,
  ) {}

  async find(ruc: string): Promise<Taxpayer | null> {
    const startedAt = performance.now();
    let outcome = 'no_evidence';
    try {
      const taxpayer = await this.registry.find(ruc);
      outcome = 'answered';
      return taxpayer;
    } finally {
      this.meters.time('sriCalls', { service: 'registry', outcome }, performance.now() - startedAt);
    }
  }
}
