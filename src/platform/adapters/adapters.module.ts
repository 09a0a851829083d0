import { Global, Module } from '@nestjs/common';
import { CHANCE, CLOCK, IDS, SLEEPER } from '../../shared/ports.js';
import { CryptoChance } from './crypto-chance.js';
import { RandomIds } from './random-ids.js';
import { ServiceClock } from './service-clock.js';
import { TimerSleeper } from './timer-sleeper.js';

/** Binds the ports of time, identity and chance to the host. */
@Global()
@Module({
  providers: [
    ServiceClock,
    { provide: CLOCK, useExisting: ServiceClock },
    { provide: IDS, useClass: RandomIds },
    { provide: CHANCE, useClass: CryptoChance },
    { provide: SLEEPER, useClass: TimerSleeper },
  ],
  exports: [ServiceClock, CLOCK, IDS, CHANCE, SLEEPER],
})
export class AdaptersModule {}
