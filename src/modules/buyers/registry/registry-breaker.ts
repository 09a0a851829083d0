import { Logger } from '@nestjs/common';
import type { Clock } from '../../../shared/ports.js';
import { pauseGoesOn } from '../../../shared/pause.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import { RegistryUnavailable, type TaxpayerRegistry } from './taxpayer-registry.js';

/** Taxpayers asked about in a row without an answer that take the registry for down. */
const TAXPAYERS_TO_OPEN = 5;
const FIRST_BREAK_MS = 5_000;

/** A question to a registry that is taken for down: about somebody new, or about one asked about in vain before. */
type Probe = 'first' | 'repeat';

/**
 * Keeps callers from waiting for a registry that is down: after a row of failures it is not asked for a while, then by
 * one question at a time, until it answers. Each break is twice as long as the last, up to a bound. Repeated questions about one
 * taxpayer that stay unanswered do not show that the registry is down: else one caller could take it from everybody. So taxpayers
 * who were asked about in vain have a turn and a break of their own, and questions about others neither wait for them nor
 * lengthen that break.
 */
export class RegistryBreaker implements TaxpayerRegistry {
  private readonly log = new Logger(RegistryBreaker.name);
  /** RUCs asked about without an answer since the last one. */
  private readonly unanswered = new Set<string>();
  private breaks = 0;
  private openUntil: Date | null = null;
  private repeatsFrom = new Date(0);
  private readonly underWay = new Set<Probe>();

  constructor(
    private readonly registry: TaxpayerRegistry,
    private readonly clock: Clock,
    private readonly longestBreakMs: number,
  ) {}

  async find(ruc: string): Promise<Taxpayer | null> {
    const probe = this.probeFor(ruc);
    if (probe !== null) this.underWay.add(probe);
    try {
      const taxpayer = await this.registry.find(ruc);
      this.answered();
      return taxpayer;
    } catch (error) {
      if (error instanceof RegistryUnavailable) this.failed(ruc, probe, error.message);
      throw error;
    } finally {
      if (probe !== null) this.underWay.delete(probe);
    }
  }

  /** @returns null while the registry is asked freely */
  private probeFor(ruc: string): Probe | null {
    if (this.openUntil === null) return null;
    const probe = this.unanswered.has(ruc) ? 'repeat' : 'first';
    const now = this.clock.now();
    const isPaused = pauseGoesOn(this.openUntil, now, this.longestBreakMs) || (probe === 'repeat' && pauseGoesOn(this.repeatsFrom, now, FIRST_BREAK_MS));
    if (isPaused || this.underWay.has(probe)) throw new RegistryUnavailable('the registry is taken for down');
    return probe;
  }

  /** 0: asked freely; 2: not, but for probes. */
  get state(): 0 | 2 {
    return this.openUntil === null ? 0 : 2;
  }

  private answered(): void {
    if (this.openUntil !== null) this.log.log('the registry of taxpayers answers again');
    this.unanswered.clear();
    this.breaks = 0;
    this.openUntil = null;
  }

  private failed(ruc: string, probe: Probe | null, reason: string): void {
    // The end of a question that was under way when the registry was taken for down is nothing new.
    if (this.openUntil !== null && probe === null) return;
    const now = this.clock.now().getTime();
    // This taxpayer's question had failed before, too: that says nothing about the others.
    if (probe === 'repeat') {
      this.repeatsFrom = new Date(now + FIRST_BREAK_MS);
      return;
    }
    this.unanswered.add(ruc);
    if (this.unanswered.size < TAXPAYERS_TO_OPEN) return;
    if (this.breaks === 0) this.log.warn(`the registry of taxpayers does not answer, pausing it: ${reason}`);
    this.openUntil = new Date(now + Math.min(FIRST_BREAK_MS * 2 ** this.breaks, this.longestBreakMs));
    this.breaks += 1;
  }
}
