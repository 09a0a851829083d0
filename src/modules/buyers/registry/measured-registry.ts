import type { Meters } from '../../../platform/observability/meters.js';
import { noteSpan, traced } from '../../../platform/tracing/spans.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import type { TaxpayerRegistry } from './taxpayer-registry.js';

/** Notes how long the registry takes to answer. */
export class MeasuredRegistry implements TaxpayerRegistry {
  constructor(
    private readonly registry: TaxpayerRegistry,
    private readonly meters: Meters,
  ) {}

  find(ruc: string): Promise<Taxpayer | null> {
    return traced({ name: 'SRI registry', kind: 'client', attributes: { 'sello.sri.service': 'registry' } }, () => this.measured(ruc));
  }

  private async measured(ruc: string): Promise<Taxpayer | null> {
    const startedAt = performance.now();
    let outcome = 'no_evidence';
    try {
      const taxpayer = await this.registry.find(ruc);
      outcome = 'answered';
      return taxpayer;
    } finally {
      noteSpan({ 'sello.sri.outcome': outcome });
      this.meters.time('sriCalls', { service: 'registry', outcome }, performance.now() - startedAt);
    }
  }
}
