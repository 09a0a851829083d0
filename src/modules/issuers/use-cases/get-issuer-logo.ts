import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { mediaTypeOf } from '../../../sri/ride/logo.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';

export interface LogoFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** The image that is printed on an issuer's documents, as it was sent. */
export class GetIssuerLogo extends Query<LogoFile> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
  ) {
    super();
  }
}

@QueryHandler(GetIssuerLogo)
export class GetIssuerLogoHandler implements IQueryHandler<GetIssuerLogo> {
  constructor(private readonly issuers: IssuersRepository) {}

  async execute({ tenant, issuerId }: GetIssuerLogo): Promise<LogoFile> {
    const bytes = found(await this.issuers.findLogo(tenant.tenantId, issuerId));
    return { bytes, mediaType: mediaTypeOf(bytes) };
  }
}
