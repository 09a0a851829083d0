import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './persistence/api-keys.repository.js';
import { CreateApiKeyHandler } from './use-cases/create-api-key.js';
import { ListApiKeysHandler } from './use-cases/list-api-keys.js';
import { RevokeApiKeyHandler } from './use-cases/revoke-api-key.js';

/** The keys that programs sign in with. */
@Module({
  imports: [CqrsModule],
  controllers: [ApiKeysController],
  providers: [ApiKeysRepository, CreateApiKeyHandler, ListApiKeysHandler, RevokeApiKeyHandler],
})
export class ApiKeysModule {}
