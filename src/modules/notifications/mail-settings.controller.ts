import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { MailPreviewDto, MailSettingsDto } from './notifications.dto.js';
import { MailPreview, MailSettingsRecord } from './notifications.responses.js';
import { GetMailSettings } from './use-cases/get-mail-settings.js';
import { PreviewMail } from './use-cases/preview-mail.js';
import { UpdateMailSettings } from './use-cases/update-mail-settings.js';

/** What the tenant's mails say and look like: settings of the tenant, so its owners' affair (decisions, section 6). */
@ApiTags('tenant')
@Controller('tenant/mail-settings')
export class MailSettingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('tenant:read')
  @ApiOperation({ operationId: 'getMailSettings', summary: 'Language, sender and texts of the mails to buyers' })
  @ApiOkResponse({ type: MailSettingsRecord })
  get(@Tenant() tenant: TenantContext): Promise<MailSettingsRecord> {
    return this.queries.execute(new GetMailSettings(tenant));
  }

  @Patch()
  @RequirePermission('tenant:write')
  @ApiOperation({ operationId: 'updateMailSettings', summary: 'Change the given settings; null goes back to the default' })
  @ApiOkResponse({ type: MailSettingsRecord })
  update(@Tenant() tenant: TenantContext, @Body() body: MailSettingsDto): Promise<MailSettingsRecord> {
    return this.commands.execute(new UpdateMailSettings(tenant, body));
  }

  @Post('preview')
  @HttpCode(200)
  @RequirePermission('tenant:read')
  @ApiOperation({ operationId: 'previewMail', summary: 'The mail of an example document, with changes that are not saved yet' })
  @ApiOkResponse({ type: MailPreview })
  preview(@Tenant() tenant: TenantContext, @Body() body: MailPreviewDto): Promise<MailPreview> {
    return this.queries.execute(new PreviewMail(tenant, body));
  }
}
