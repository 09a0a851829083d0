import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { count, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { REGISTRY_ANSWERS, type RegistryAnswer } from './registry/taxpayer-directory.js';

/** Response shapes of the buyer endpoints (interface specification 2.7, 4.15 to 4.17). */

const LOOKUP_SOURCES = ['tenant_profile', 'sri_cache', 'sri_live'] as const;
export type LookupSource = (typeof LOOKUP_SOURCES)[number];

const REGISTRY_ABOUT =
  'What the SRI’s registry said when it was asked for this call: confirmed, somebody has the number; unknown, nobody has; unavailable, it did not say, and the rest is ' +
  'what was known before. Null where it was not asked. With refresh, what it said within the last minute counts';

/** What the address in a profile is for. */
export const EMAIL_ABOUT = 'For the own use of the tenant, learned from documents where it is left out; a document is mailed to its own buyer_email';

@ApiSchema({ name: 'BuyerListItem' })
export class BuyerListItem {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(text) buyer_id: string;
  @ApiProperty({ ...text, description: 'Code of the SRI' }) buyer_id_type: string;
  @ApiProperty(text) legal_name: string;
  @ApiProperty({ ...text, ...orNull }) trade_name: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'As the SRI’s registry last said' }) contributor_status: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'As the SRI’s registry last said' }) contributor_type: string | null;
  @ApiProperty({ ...text, ...orNull }) address: string | null;
  @ApiProperty({ ...text, ...orNull }) notes: string | null;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
  @ApiProperty({ ...instant, ...orNull, description: 'When the SRI’s registry said so' }) sri_last_verified_at: Date | null;
}

@ApiSchema({ name: 'Buyer' })
export class BuyerRecord extends BuyerListItem {
  @ApiProperty({ ...text, ...orNull, description: EMAIL_ABOUT }) email: string | null;
  @ApiProperty({ type: Boolean, description: 'From the third authorized document on' }) is_frequent: boolean;
  @ApiProperty({ ...count, description: 'Documents that the SRI authorized' }) document_count: number;
  @ApiProperty({ ...instant, ...orNull, description: 'When the last of them was authorized' }) last_document_at: Date | null;
}

@ApiSchema({ name: 'BuyerPage' })
export class BuyerPage extends Page {
  @ApiProperty({ type: [BuyerListItem] }) items: BuyerListItem[];
  @ApiProperty(count) total_pages: number;
}

@ApiSchema({ name: 'LookedUpBuyer' })
export class LookedUpBuyer {
  @ApiProperty({ ...uuid, ...orNull, description: 'The profile; null where the tenant has none' }) id: string | null;
  @ApiProperty({ ...text, description: 'Code of the SRI' }) id_type: string;
  @ApiProperty({ ...text, description: 'The identification number' }) buyer_id: string;
  @ApiProperty(text) legal_name: string;
  @ApiProperty({ ...text, ...orNull }) trade_name: string | null;
  @ApiProperty({ ...text, ...orNull }) contributor_status: string | null;
  @ApiProperty({ ...text, ...orNull }) contributor_type: string | null;
  @ApiProperty({ ...text, ...orNull }) address: string | null;
  @ApiProperty({ type: Boolean, ...orNull, description: 'false: the tenant has put its profile aside; null where it has none' }) is_active: boolean | null;
}

@ApiSchema({ name: 'BuyerLookup' })
export class BuyerLookup {
  @ApiProperty({ type: Boolean }) found: boolean;
  @ApiProperty({ enum: LOOKUP_SOURCES, enumName: 'BuyerLookupSource', description: 'Who said so' }) source: LookupSource;
  @ApiProperty({ type: Boolean, description: 'The tenant has had three authorized documents with the buyer' }) is_frequent: boolean;
  @ApiProperty({ type: LookedUpBuyer, ...orNull }) buyer: LookedUpBuyer | null;
  @ApiProperty({ ...instant, ...orNull, description: 'When the SRI’s registry said so; null for a profile that it never confirmed' }) verified_at: Date | null;
  @ApiProperty({ ...count, ...orNull, description: 'How long ago that was, in seconds' }) age_seconds: number | null;
  @ApiProperty({ enum: REGISTRY_ANSWERS, enumName: 'BuyerLookupRegistry', ...orNull, description: REGISTRY_ABOUT, example: 'confirmed' }) registry: RegistryAnswer | null;
}
