import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { Meters } from '../../platform/observability/meters.js';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { BuyersController } from './buyers.controller.js';
import { BuyersRepository } from './persistence/buyers.repository.js';
import { TaxpayersRepository } from './persistence/taxpayers.repository.js';
import { MeasuredRegistry } from './registry/measured-registry.js';
import { RegistryBreaker } from './registry/registry-breaker.js';
import { SriRegistryClient } from './registry/sri-registry.client.js';
import { TaxpayerDirectory } from './registry/taxpayer-directory.js';
import { TAXPAYER_REGISTRY } from './registry/taxpayer-registry.js';
import { CreateBuyerHandler } from './use-cases/create-buyer.js';
import { DeleteBuyerHandler } from './use-cases/delete-buyer.js';
import { GetBuyerHandler } from './use-cases/get-buyer.js';
import { ListBuyersHandler } from './use-cases/list-buyers.js';
import { LookUpBuyerHandler } from './use-cases/look-up-buyer.js';
import { UpdateBuyerHandler } from './use-cases/update-buyer.js';

const HANDLERS = [CreateBuyerHandler, UpdateBuyerHandler, DeleteBuyerHandler, GetBuyerHandler, ListBuyersHandler, LookUpBuyerHandler];

/** Whom tenants deal with, and who they are to the SRI. */
@Module({
  imports: [CqrsModule, HttpModule],
  controllers: [BuyersController],
  providers: [
    BuyersRepository,
    TaxpayersRepository,
    TaxpayerDirectory,
    {
      provide: SriRegistryClient,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new SriRegistryClient({ url: settings.SRI_REGISTRY_URL ?? null, timeoutMs: settings.SRI_REGISTRY_TIMEOUT_SECONDS * 1_000 }),
    },
    {
      provide: TAXPAYER_REGISTRY,
      inject: [SriRegistryClient, CLOCK, SETTINGS, Meters],
      useFactory: (client: SriRegistryClient, clock: Clock, settings: Settings, meters: Meters) => {
        const breaker = new RegistryBreaker(new MeasuredRegistry(client, meters), clock, settings.SRI_LONGEST_BREAK_SECONDS * 1_000);
        meters.gauge('sriBreaker', () => [{ labels: { service: 'registry' }, value: breaker.state }]);
        return breaker;
      },
    },
    ...HANDLERS,
  ],
})
export class BuyersModule {}
