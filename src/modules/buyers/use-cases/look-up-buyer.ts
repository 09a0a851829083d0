import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { BuyerLookupQuery, LookupType } from '../buyers.dto.js';
import type { BuyerLookup } from '../buyers.responses.js';
import { refuseIdentification } from '../identification/refuse-identification.js';
import { BuyersRepository, type FoundBuyer, type Identification } from '../persistence/buyers.repository.js';
import { type KnownTaxpayer, type RegistryAnswer, TaxpayerDirectory } from '../registry/taxpayer-directory.js';
import { RegistryUnavailable } from '../registry/taxpayer-registry.js';

/** Who has a RUC or cedula: the tenant's own profile, else the authority's earlier answer, else a new one. */
export class LookUpBuyer extends Query<BuyerLookup> {
  constructor(
    readonly tenant: TenantContext,
    readonly query: BuyerLookupQuery,
  ) {
    super();
  }
}

const ID_TYPES: Readonly<Record<LookupType, string>> = { ruc: '04', cedula: '05' };
const FORMS: Readonly<Record<LookupType, RegExp>> = { ruc: /^\d{13}$/, cedula: /^\d{10}$/ };

@QueryHandler(LookUpBuyer)
export class LookUpBuyerHandler implements IQueryHandler<LookUpBuyer> {
  constructor(
    private readonly buyers: BuyersRepository,
    private readonly directory: TaxpayerDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ tenant: { tenantId }, query: { identifier: id, type, refresh } }: LookUpBuyer): Promise<BuyerLookup> {
    const identification = { idType: ID_TYPES[type], id };
    // Documents may go to a buyer whose number fails the check digit, with a warning: so the tenant may have a profile of them.
    const profile = FORMS[type].test(id) ? await this.buyers.findIdentified(tenantId, identification) : null;
    if (profile !== null && !refresh) return this.ofProfile(profile, null);
    refuseIdentification({ source: 'query', idType: 'type', id: 'identifier' }, identification.idType, id, this.settings.STRICT_RUC_CHECK);
    // The registry knows taxpayers by the RUC of their first establishment, people too.
    const known = await this.known(tenantId, `${id.slice(0, 10)}001`, refresh);
    if (known !== null && known.taxpayer !== null) await this.buyers.verify(tenantId, identification);
    if (profile !== null) return this.ofProfile((await this.buyers.findIdentified(tenantId, identification)) ?? profile, known === null ? 'unavailable' : known.registry);
    if (known === null) throw new DomainError('SRI_UNAVAILABLE');
    return this.ofTaxpayer(identification, known, await this.buyers.isFrequent(tenantId, identification));
  }

  /** Null when nothing is known, and the registry is away or too many ask it. */
  private async known(tenantId: string, ruc: string, newest: boolean): Promise<KnownTaxpayer | null> {
    try {
      return await this.directory.find(tenantId, ruc, newest);
    } catch (error) {
      if (error instanceof RegistryUnavailable) return null;
      throw error;
    }
  }

  private ofProfile(profile: FoundBuyer, registry: RegistryAnswer | null): BuyerLookup {
    const { id, buyer_id_type, buyer_id, legal_name, trade_name, contributor_status, contributor_type, address, is_active, is_frequent } = profile;
    return {
      found: true,
      source: 'tenant_profile',
      is_frequent,
      buyer: { id, id_type: buyer_id_type, buyer_id, legal_name, trade_name, contributor_status, contributor_type, address, is_active },
      ...this.age(profile.sri_last_verified_at),
      registry,
    };
  }

  private ofTaxpayer({ idType, id }: Identification, { taxpayer, source, verifiedAt, registry }: KnownTaxpayer, is_frequent: boolean): BuyerLookup {
    if (taxpayer === null) return { found: false, source, is_frequent, buyer: null, ...this.age(verifiedAt), registry };
    const { legalName, tradeName, status, type, address } = taxpayer;
    const buyer = { id: null, id_type: idType, buyer_id: id, legal_name: legalName, trade_name: tradeName, contributor_status: status, contributor_type: type, address, is_active: null };
    return { found: true, source, is_frequent, buyer, ...this.age(verifiedAt), registry };
  }

  private age(verifiedAt: Date | null): Pick<BuyerLookup, 'verified_at' | 'age_seconds'> {
    const age = verifiedAt === null ? null : Math.max(0, Math.floor((this.clock.now().getTime() - verifiedAt.getTime()) / 1000));
    return { verified_at: verifiedAt, age_seconds: age };
  }
}
