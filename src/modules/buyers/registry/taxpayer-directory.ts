import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { FairTurns, type Room } from '../../../platform/fair-turns.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import { type RecalledTaxpayer, type RememberedTaxpayer, TaxpayersRepository } from '../persistence/taxpayers.repository.js';
import { REGISTRY_CONNECTIONS } from './sri-registry.client.js';
import { RegistryUnavailable, TAXPAYER_REGISTRY, type TaxpayerRegistry } from './taxpayer-registry.js';

export const REGISTRY_ANSWERS = ['confirmed', 'unknown', 'unavailable'] as const;
/** What comes of asking the registry: somebody has the number, nobody has, or it says neither. */
export type RegistryAnswer = (typeof REGISTRY_ANSWERS)[number];

export interface KnownTaxpayer extends RememberedTaxpayer {
  readonly source: 'sri_cache' | 'sri_live';
  /** Null where it was not asked; what it said a moment ago stands for what it would say to who asks for the newest. */
  readonly registry: RegistryAnswer | null;
}

const HOUR_MS = 3_600_000;
/** A caller who asks for the newest data gets an answer of up to this age, so that nobody wears the registry out. */
const NEWEST_MS = 60_000;
/**
 * Questions to the registry of one process: no more than it has connections for, and one tenant leaves half of them to the others.
 * So few wait that whoever waits longest does so for a few times the time that the registry has for an answer.
 */
const ROOM: Room = { atOnce: REGISTRY_CONNECTIONS, atOnceOfTenant: REGISTRY_CONNECTIONS / 2, waiting: 24, waitingOfTenant: 10 };

/**
 * Data of taxpayers from the SRI: its last answer if that is recent, else a new one. While the SRI is away an old answer
 * serves, with its age; an old "no such taxpayer" does not, for a RUC is given out any day.
 */
@Injectable()
export class TaxpayerDirectory {
  /** Questions under way, so that callers of a tenant who want to know the same ask once; each tenant waits in its own line. */
  private readonly underWay = new Map<string, Promise<KnownTaxpayer>>();
  private readonly turns = new FairTurns(ROOM);

  constructor(
    private readonly taxpayers: TaxpayersRepository,
    @Inject(TAXPAYER_REGISTRY) private readonly registry: TaxpayerRegistry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SRI_REGISTRY_MAX_AGE_HOURS' | 'SRI_REGISTRY_NOT_FOUND_MAX_AGE_HOURS'>,
  ) {}

  /**
   * @param newest ask even where an answer is known that is not old yet
   * @throws RegistryUnavailable when nothing is known, and the registry is away or too many questions wait
   */
  find(tenantId: string, ruc: string, newest: boolean): Promise<KnownTaxpayer> {
    const key = `${tenantId} ${ruc} ${String(newest)}`;
    const running = this.underWay.get(key);
    if (running !== undefined) return running;
    const question = this.ask(tenantId, ruc, newest).finally(() => this.underWay.delete(key));
    this.underWay.set(key, question);
    return question;
  }

  private async ask(tenantId: string, ruc: string, newest: boolean): Promise<KnownTaxpayer> {
    const remembered = await this.taxpayers.recall(ruc);
    if (remembered !== null && this.isCurrent(remembered, newest)) return { ...remembered, source: 'sri_cache', registry: newest ? answerOf(remembered) : null };
    try {
      const answer = await this.taxpayers.remember(ruc, await this.askRegistry(tenantId, ruc));
      return { ...answer, source: 'sri_live', registry: answerOf(answer) };
    } catch (error) {
      if (!(error instanceof RegistryUnavailable) || remembered === null) throw error;
      if (remembered.taxpayer === null && !this.isCurrent(remembered, false)) throw error;
      return { ...remembered, source: 'sri_cache', registry: 'unavailable' };
    }
  }

  /** Waits for the tenant's turn, before anybody measures or counts how the registry answers: what is not asked says nothing of it. */
  private askRegistry(tenantId: string, ruc: string): Promise<Taxpayer | null> {
    return this.turns.take(tenantId, () => new RegistryUnavailable('too many questions wait'), () => this.registry.find(ruc));
  }

  /** An answer from a time to come may be of any age. */
  private isCurrent({ taxpayer, ageMs }: RecalledTaxpayer, newest: boolean): boolean {
    const hours = taxpayer === null ? this.settings.SRI_REGISTRY_NOT_FOUND_MAX_AGE_HOURS : this.settings.SRI_REGISTRY_MAX_AGE_HOURS;
    return ageMs >= 0 && ageMs < (newest ? NEWEST_MS : hours * HOUR_MS);
  }
}

const answerOf = ({ taxpayer }: RememberedTaxpayer): RegistryAnswer => (taxpayer === null ? 'unknown' : 'confirmed');
