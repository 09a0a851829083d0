import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { DocumentPath } from '../documents/public.dto.js';
import { DocumentMailDto } from './notifications.dto.js';
import { MailPage, MailRecord } from './notifications.responses.js';
import { ListDocumentMails } from './use-cases/list-document-mails.js';
import { SendDocumentMail } from './use-cases/send-document-mail.js';

/** Documents on their way to their readers. */
@ApiTags('documents')
@Controller('documents/:document_id')
export class DocumentMailsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('email')
  @HttpCode(202)
  @RequirePermission('documents:operate')
  @ApiOperation({
    operationId: 'emailDocument',
    summary: 'Mail an authorized document, XML and RIDE attached, to its buyer or to somebody else',
    description:
      'A document is mailed so ten times an hour; and a tenant so mails 200 within 24 hours, of all its documents, to one address that is not the `buyer_email` of what is mailed, ' +
      'however it is written. The operator may have set other numbers. Beyond, it is 429, with `mail_resends` or `mail_recipient` in `limits`.',
  })
  @ApiAcceptedResponse({ type: MailRecord })
  send(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath, @Body() body: DocumentMailDto): Promise<MailRecord> {
    return this.commands.execute(new SendDocumentMail(tenant, document_id, body));
  }

  @Get('emails')
  @RequirePermission('documents:read')
  @ApiOperation({ operationId: 'listDocumentEmails', summary: 'Every mail of the document and what became of it, newest first' })
  @ApiOkResponse({ type: MailPage })
  list(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath, @Query() { page, page_size }: PageQuery): Promise<MailPage> {
    return this.queries.execute(new ListDocumentMails(tenant, document_id, page, page_size));
  }
}
