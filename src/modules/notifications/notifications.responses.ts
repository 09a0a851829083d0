import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { count, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { MAIL_STATUSES, type MailStatus } from './domain/attempts.js';

/** Response shapes of the mails. */

const language = { enum: ['es', 'en'], enumName: 'MailLanguage' } as const;

const MAIL_CAUSES = ['authorized', 'requested'] as const;

@ApiSchema({ name: 'Mail' })
export class MailRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) document_id: string;
  @ApiProperty({ enum: MAIL_CAUSES, description: '`authorized`: sent by itself; `requested`: asked for' }) cause: (typeof MAIL_CAUSES)[number];
  @ApiProperty({ ...text, example: 'maria.jose@example.com' }) recipient: string;
  @ApiProperty(language) language: string;
  @ApiProperty({
    enum: MAIL_STATUSES, enumName: 'MailStatus',
    description: '`queued`: not yet, or put off; `sent`: a mail server took it; `failed`: it is not tried again; `bounced`: there is no such recipient, or it came back',
  })
  status: MailStatus;
  @ApiProperty(count) attempts: number;
  @ApiProperty({ ...text, ...orNull, description: "Why it is not sent, or came back; a mail server's own words where it gave any", example: null }) failure: string | null;
  @ApiProperty({ ...uuid, ...orNull, description: 'User or API key that asked for it' }) requested_by: string | null;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty({ ...instant, ...orNull }) sent_at: Date | null;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'MailPage' })
export class MailPage extends Page {
  @ApiProperty({ type: [MailRecord] }) items: MailRecord[];
}

@ApiSchema({ name: 'MailSettings' })
export class MailSettingsRecord {
  @ApiProperty({ ...language, description: 'Of mails to buyers and to admins' }) language: string;
  @ApiProperty({ ...text, ...orNull, description: "Null: the issuer's name", example: 'Comercial Andina' }) sender_name: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'Where answers go; null: buyers are told that nobody reads them', example: 'facturacion@example.com' }) reply_to: string | null;
  @ApiProperty({ ...text, ...orNull, description: "Null: the service's own", example: '{{document_type}} {{document_number}}' }) subject: string | null;
  @ApiProperty({ ...text, ...orNull, description: "Null: the service's own", example: null }) message: string | null;
  @ApiProperty({ type: [String], description: 'What subject and message may name in double braces', example: ['buyer_name', 'document_number'] }) placeholders: readonly string[];
}

@ApiSchema({ name: 'MailPreview' })
export class MailPreview {
  @ApiProperty({ ...text, description: 'Name of the sender', example: 'Comercial Andina' }) from: string;
  @ApiProperty({ ...text, ...orNull, example: 'facturacion@example.com' }) reply_to: string | null;
  @ApiProperty({ ...text, example: 'Factura 001-002-000000123' }) subject: string;
  @ApiProperty({ ...text, example: 'Hola, María Pérez: …' }) text: string;
  @ApiProperty({ ...text, description: 'Holds no script and fetches nothing; show it in a sandboxed frame', example: '<!doctype html><html lang="es">…</html>' }) html: string;
}
