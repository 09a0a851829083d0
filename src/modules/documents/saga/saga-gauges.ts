import { Injectable } from '@nestjs/common';
import { Meters } from '../../../platform/observability/meters.js';
import { IssuanceProcessor } from './issuance.processor.js';
import { SriBreaker } from './sri-breaker.js';

/** Gauges of the documents that this worker has in hand, and of whether it calls the SRI. */
@Injectable()
export class SagaGauges {
  constructor(meters: Meters, breaker: SriBreaker, processor: IssuanceProcessor) {
    meters.gauge('sriBreaker', () => breaker.states().map(({ service, state }) => ({ labels: { service }, value: state })));
    meters.gauge('documentsInHand', () => [{ labels: {}, value: processor.inHand() }]);
  }
}
