import { Logger } from '@nestjs/common';
import type { Clock } from '../../../shared/ports.js';
import type { Taxpayer } from '../domain/taxpayer.js';
import { RegistryUnavailable, type TaxpayerRegistry } from './taxpayer-registry.js';

/** Taxpayers asked about in a row without an answer that take the registry for down. */
const TAXPAYERS_TO_OPEN = 5;
const FIRST_BREAK_MS = 5_000;

/**
 * Keeps callers from waiting for a registry that is down: after a row of failures it is not asked for a while, then by
 * one question at a time, until it answers. Each break is twice as long as the last, up to a bound. One taxpayer of whom
 * it says nothing, asked about again and again, is no sign of that: else one caller could take it from everybody.
 */
export class RegistryBreaker implements TaxpayerRegistry {
  private readonly log = new Logger(RegistryBreaker.name);
  /** RUCs asked about without an answer since the last one. */
  private readonly unanswered = new Set<string>();
  private breaks = 0;
  private openUntil: Date | null = null;
  private isProbing = false;

  constructor(
    private readonly registry: TaxpayerRegistry,
    private readonly clock: Clock,
    private readonly longestBreakMs: number,
  ) {}

  async find(ruc: string): Promise<Taxpayer | null> {
    const isProbe = this.openUntil !== null;
    if (this.openUntil !== null && (this.isProbing || this.clock.now() < this.openUntil)) throw new RegistryUnavailable('the registry is taken for down');
    if (isProbe) this.isProbing = true;
    try {
      const taxpayer = await this.registry.find(ruc);
      this.answered();
      return taxpayer;
    } catch (error) {
      if (error instanceof RegistryUnavailable) this.failed(ruc, isProbe, error.message);
      throw error;
    } finally {
      if (isProbe) this.isProbing = false;
    }
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

  private failed(ruc: string, isProbe: boolean, reason: string): void {
    // Questions that were under way when the registry was taken for down tell nothing new.
    if (this.openUntil !== null && !isProbe) return;
    // Nothing was said of this taxpayer before: no news of the others, the next of whom may ask at once.
    if (isProbe && this.unanswered.has(ruc)) return;
    this.unanswered.add(ruc);
    if (this.unanswered.size < TAXPAYERS_TO_OPEN) return;
    if (this.breaks === 0) this.log.warn(`the registry of taxpayers does not answer, pausing it: ${reason}`);
    this.openUntil = new Date(this.clock.now().getTime() + Math.min(FIRST_BREAK_MS * 2 ** this.breaks, this.longestBreakMs));
    this.breaks += 1;
  }
}
