import { ApiSchema } from '@nestjs/swagger';
import { Email, Flag, OneOf, Text, Uuid } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { RefusedLater } from '../../platform/http/refused-later.js';
import { ID_TYPE_ALIASES } from '../../sri/tables/documents.js';
import { EMAIL_ABOUT } from './buyers.responses.js';
import { identificationFaults, OF_PROFILE } from './identification/refuse-identification.js';

/** Request bodies and queries of the buyer endpoints. Names are the wire's; bounds are those of a document's buyer. */

const LEGAL_NAME = { max: 300, about: 'Legal name' } as const;
const TRADE_NAME = { max: 300, nullable: true, about: 'Trade name' } as const;
const ADDRESS = { max: 500, nullable: true } as const;
const EMAIL = { max: 255, nullable: true, about: EMAIL_ABOUT } as const;
const NOTES = { max: 1000, nullable: true, about: 'For the own use of the tenant' } as const;
const IS_ACTIVE = { about: 'false puts the buyer aside: lists can leave it out and a look-up tells so; documents are issued to it still' } as const;

@ApiSchema({ name: 'BuyerCreate' })
@RefusedLater<BuyerCreateDto>(({ buyer_id_type = '', buyer_id = '' }, { STRICT_RUC_CHECK }) => identificationFaults(OF_PROFILE, buyer_id_type, buyer_id, STRICT_RUC_CHECK))
export class BuyerCreateDto {
  @Text({ max: 20, aliases: ID_TYPE_ALIASES, about: '04 RUC, 05 cedula, 06 passport, 08 foreign; or RUC, CEDULA, PASAPORTE, EXTERIOR', example: '04' })
  buyer_id_type: string;
  @Text({ max: 20, about: 'Identification number', example: '1790012345001' }) buyer_id: string;
  @Text(LEGAL_NAME) legal_name: string;
  @Text(TRADE_NAME) trade_name?: string | null;
  @Text(ADDRESS) address?: string | null;
  @Email(EMAIL) email?: string | null;
  @Text(NOTES) notes?: string | null;
  @Flag({ ...IS_ACTIVE, default: true }) is_active: boolean = true;
}

/** Not the identification: another one is another buyer. */
@ApiSchema({ name: 'BuyerUpdate' })
export class BuyerUpdateDto {
  @Text({ ...LEGAL_NAME, optional: true }) legal_name?: string;
  @Text(TRADE_NAME) trade_name?: string | null;
  @Text(ADDRESS) address?: string | null;
  @Email(EMAIL) email?: string | null;
  @Text(NOTES) notes?: string | null;
  @Flag({ ...IS_ACTIVE, optional: true }) is_active?: boolean;
}

export class BuyerPath {
  @Uuid() profile_id: string;
}

export class BuyerListQuery extends PageQuery {
  @Text({ max: 300, optional: true, about: 'Part of the legal or trade name; case and accents do not matter' }) name?: string;
  @Text({ max: 20, optional: true, about: 'Exactly this identification number', example: '1790012345001' }) buyer_id?: string;
  @Flag({ fromText: true, optional: true, about: 'Only active (true) or inactive (false) ones' }) is_active?: boolean;
}

const LOOKUP_TYPES = ['ruc', 'cedula'] as const;
export type LookupType = (typeof LOOKUP_TYPES)[number];

export class BuyerLookupQuery {
  @Text({ max: 20, about: 'RUC or cedula number', example: '1790012345001' }) identifier: string;
  @OneOf(LOOKUP_TYPES, { about: 'What the identifier is', example: 'ruc' }) type: LookupType;
  @Flag({ fromText: true, default: false, about: 'Ask the authority also about a buyer that is known already; the same one at most once a minute' }) refresh: boolean = false;
}
