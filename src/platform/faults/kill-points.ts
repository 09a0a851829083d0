import { writeSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';

type FaultAction = 'kill9' | 'throw' | 'hang' | 'commit-ack-lost' | `sleep:${number}`;

interface Fault {
  readonly name: string;
  /** Fires on the nth pass, counted from 1; null: on every pass. */
  readonly nth: number | null;
  readonly action: FaultAction;
  /** Fires for this document alone, named by its numeric code; null: for any. */
  readonly subject: string | null;
}

const FORM = /^([a-z-]+):(\d+|\*):(kill9|throw|hang|commit-ack-lost|sleep:\d+)(?:@(\d{8}))?$/;
const HANG_MS = 3_600_000;

/**
 * Named points at which a test may stop the process. Does nothing unless the
 * setting FAULTS names the point: `name:nth:action`, several with `;` between
 * them. `nth` may be `*`; `@12345678` at the end ties a fault to the document
 * with that numeric code. Production refuses FAULTS.
 */
@Injectable()
export class KillPoints {
  private readonly faults: readonly Fault[];
  private readonly passes = new Map<Fault, number>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {
    this.faults = settings.FAULTS.split(';').filter(Boolean).map(parseFault);
  }

  /** @param subject numeric code of the document that passes, where it is a document */
  async pass(name: string, subject?: string): Promise<void> {
    if (this.faults.length === 0) return;
    const fault = this.faults.find((candidate) => candidate.name === name && this.hits(candidate, subject));
    if (!fault) return;
    // Before anything else and without a buffer: whoever planted the fault reads that it fired.
    writeSync(2, `fault ${name} ${fault.action} ${subject ?? '-'}\n`);
    switch (fault.action) {
      case 'kill9':
        process.kill(process.pid, 'SIGKILL');
        // The signal may take a moment to arrive.
        await this.sleeper.sleep(HANG_MS);
        return;
      case 'throw':
        throw new Error(`fault injected at ${name}`);
      case 'commit-ack-lost':
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
      case 'hang':
        await this.sleeper.sleep(HANG_MS);
        return;
      default:
        await this.sleeper.sleep(Number(fault.action.slice('sleep:'.length)));
    }
  }

  private hits(fault: Fault, subject: string | undefined): boolean {
    if (fault.subject !== null && fault.subject !== subject) return false;
    const count = (this.passes.get(fault) ?? 0) + 1;
    this.passes.set(fault, count);
    return fault.nth === null || fault.nth === count;
  }
}

function parseFault(text: string): Fault {
  const [, name = '', nth = '', action = '', subject] = FORM.exec(text) ?? [];
  if (name === '') throw new Error(`FAULTS: "${text}" is not name:nth:(kill9|throw|hang|commit-ack-lost|sleep:ms)[@numeric code]`);
  return { name, nth: nth === '*' ? null : Number(nth), action: action as FaultAction, subject: subject ?? null };
}
