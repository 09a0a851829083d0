import { applyDecorators, Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiConsumes, ApiCreatedResponse, ApiExtension, ApiExtraModels, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { languageOf } from '../../platform/http/language.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { BoundJsonFile, MultipartAsJson, ReadMultipart } from './certificate-upload.interceptor.js';
import { CertificateUploadDto } from './issuers.dto.js';
import { CertificateEntry, CertificateForm, CertificateList, CertificateReport } from './issuers.responses.js';
import { ActivateCertificate } from './use-cases/activate-certificate.js';
import { CheckCertificate } from './use-cases/check-certificate.js';
import { GetCertificate } from './use-cases/get-certificate.js';
import { ListCertificates } from './use-cases/list-certificates.js';
import { RevokeCertificate } from './use-cases/revoke-certificate.js';
import { UploadCertificate } from './use-cases/upload-certificate.js';

/** A certificate in the body, as JSON in base64 or as a form with the file. */
const TakesCertificate = (): MethodDecorator =>
  applyDecorators(
    UseInterceptors(ReadMultipart, BoundJsonFile, MultipartAsJson),
    ApiConsumes('application/json', 'multipart/form-data'),
    ApiExtraModels(CertificateForm),
    ApiExtension('x-form', 'CertificateForm'),
  );

@ApiTags('issuers')
@Controller('issuers/:issuer_id/certificates')
export class CertificatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('issuers:write')
  @TakesCertificate()
  @ApiOperation({
    operationId: 'uploadCertificate',
    summary: 'Upload a .p12 certificate and make it the active one',
    description: 'As JSON with the file in base64, or as multipart/form-data with the parts `file` and `password`. At most 64 KB. An issuer has at most 100 certificates that are not revoked.',
  })
  @ApiCreatedResponse({ type: CertificateEntry })
  upload(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Body() { file_base64, password }: CertificateUploadDto,
    @Headers('accept-language') language: string | undefined,
  ): Promise<CertificateEntry> {
    return this.commands.execute(new UploadCertificate(tenant, issuerId, Buffer.from(file_base64, 'base64'), password, languageOf(language)));
  }

  @Post('check')
  @HttpCode(200)
  @RequirePermission('issuers:write')
  @TakesCertificate()
  @ApiOperation({
    operationId: 'checkCertificate',
    summary: 'Tell all that is right and wrong with a .p12 certificate, keeping nothing',
    description: 'Takes what an upload takes. What does not serve is not an error but a `failed` check, a wrong password too; a `warning` hinders no upload.',
  })
  @ApiOkResponse({ type: CertificateReport })
  check(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Body() { file_base64, password }: CertificateUploadDto,
    @Headers('accept-language') language: string | undefined,
  ): Promise<CertificateReport> {
    return this.queries.execute(new CheckCertificate(tenant, issuerId, Buffer.from(file_base64, 'base64'), password, languageOf(language)));
  }

  @Get()
  @RequirePermission('issuers:read')
  @ApiOperation({
    operationId: 'listCertificates',
    summary: 'The certificates of an issuer, newest first',
    description: 'All that are not revoked, and the newest revoked ones: 200 in all at most. `total` counts those too that are not listed. A revoked one that signed nothing is forgotten once a hundred newer ones were revoked.',
  })
  @ApiOkResponse({ type: CertificateList })
  list(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Headers('accept-language') language: string | undefined,
  ): Promise<CertificateList> {
    return this.queries.execute(new ListCertificates(tenant, issuerId, languageOf(language)));
  }

  @Get(':certificate_id')
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'getCertificate', summary: 'One certificate' })
  @ApiOkResponse({ type: CertificateEntry })
  get(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('certificate_id', PathUuid) certificateId: string,
    @Headers('accept-language') language: string | undefined,
  ): Promise<CertificateEntry> {
    return this.queries.execute(new GetCertificate(tenant, issuerId, certificateId, languageOf(language)));
  }

  @Post(':certificate_id/activate')
  @HttpCode(200)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'activateCertificate', summary: 'Make a stored certificate the one that signs' })
  @ApiOkResponse({ type: CertificateEntry })
  activate(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('certificate_id', PathUuid) certificateId: string,
    @Headers('accept-language') language: string | undefined,
  ): Promise<CertificateEntry> {
    return this.commands.execute(new ActivateCertificate(tenant, issuerId, certificateId, languageOf(language)));
  }

  @Delete(':certificate_id')
  @HttpCode(204)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'revokeCertificate', summary: 'Revoke a certificate and destroy its key' })
  @ApiNoContentResponse()
  revoke(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('certificate_id', PathUuid) certificateId: string,
  ): Promise<void> {
    return this.commands.execute(new RevokeCertificate(tenant, issuerId, certificateId));
  }
}
