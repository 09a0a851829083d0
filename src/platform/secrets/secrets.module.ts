import { Global, Module } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { type Chance, CHANCE, CLOCK, type Clock } from '../../shared/ports.js';
import { Envelope } from './envelope.js';
import { KEY_WRAPPER } from './key-wrapper.js';
import { keyWrapperOf } from './key-wrapper-of.js';
import { MasterKeyCheck } from './master-key-check.js';
import { Pkcs12Opener } from './pkcs12-opener.js';
import { RestingKeyWrapper } from './resting-key-wrapper.js';

/** Sealing of private keys and the isolated opening of uploaded containers. */
@Global()
@Module({
  providers: [
    { provide: KEY_WRAPPER, inject: [SETTINGS, CHANCE, CLOCK], useFactory: (settings: Settings, chance: Chance, clock: Clock) => new RestingKeyWrapper(keyWrapperOf(settings, chance), clock) },
    Envelope,
    MasterKeyCheck,
    Pkcs12Opener,
  ],
  exports: [Envelope, MasterKeyCheck, Pkcs12Opener],
})
export class SecretsModule {}
