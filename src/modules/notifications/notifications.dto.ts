import { ApiSchema } from '@nestjs/swagger';
import { Email, OneOf, Text } from '../../platform/http/fields.js';
import { MayBeAbsent } from '../../platform/http/may-be-absent.js';
import { DOCUMENT_TYPE_CODES } from '../../sri/document-types/registry.js';
import type { DocumentTypeCode } from '../../sri/document-types/content.js';
import type { Language } from '../../shared/language.js';
import { PLACEHOLDERS, templateFailure } from './domain/template.js';

/** Request bodies of the mails. */

const LANGUAGES = ['es', 'en'] as const;
const LANGUAGE = { enumName: 'MailLanguage', optional: true } as const;
const PLACES = `may name ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}`;
const SENDER_NAME = { max: 100, nullable: true, about: "Name of the sender; null: the issuer's", example: 'Comercial Andina' } as const;
const REPLY_TO = { max: 255, nullable: true, about: 'Where answers go', example: 'facturacion@example.com' } as const;
const SUBJECT = { max: 200, nullable: true, holds: templateFailure, about: `One line; ${PLACES}; null: the service's own`, example: '{{document_type}} {{document_number}}' } as const;
const MESSAGE = {
  max: 2_000, nullable: true, multiline: true, holds: templateFailure,
  about: `Paragraphs above the figures of the document; ${PLACES}; null: the service's own`, example: 'Hola, {{buyer_name}}:\n\nGracias por su compra.',
} as const;

@MayBeAbsent()
@ApiSchema({ name: 'DocumentMailRequest' })
export class DocumentMailDto {
  @Email({ max: 255, nullable: true, about: "Default: the buyer's address", example: 'contabilidad@example.com' }) to?: string | null;
  @OneOf(LANGUAGES, { ...LANGUAGE, about: "Default: the tenant's" }) language?: Language;
}

@ApiSchema({ name: 'MailSettingsUpdate' })
export class MailSettingsDto {
  @OneOf(LANGUAGES, LANGUAGE) language?: Language;
  @Text(SENDER_NAME) sender_name?: string | null;
  @Email(REPLY_TO) reply_to?: string | null;
  @Text(SUBJECT) subject?: string | null;
  @Text(MESSAGE) message?: string | null;
}

/** What differs from the stored settings, to look at before it is saved. */
@MayBeAbsent()
@ApiSchema({ name: 'MailPreviewRequest' })
export class MailPreviewDto extends MailSettingsDto {
  @OneOf(DOCUMENT_TYPE_CODES, { enumName: 'DocumentType', default: '01' }) document_type: DocumentTypeCode = '01';
}
