import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';

type FaultAction = 'kill9' | 'throw' | 'hang' | `sleep:${number}`;

interface Fault {
  readonly name: string;
  /** Fires on the nth pass, counted from 1. */
  readonly nth: number;
  readonly action: FaultAction;
}

/**
 * Named points at which a test may stop the process. Does nothing unless the
 * setting FAULTS names the point (`name:nth:action`); production refuses FAULTS.
 */
@Injectable()
export class KillPoints {
  private readonly faults: readonly Fault[];
  private readonly passes = new Map<string, number>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {
    this.faults = settings.FAULTS.split(';').filter(Boolean).map(parseFault);
  }

  async pass(name: string): Promise<void> {
    if (this.faults.length === 0) return;
    const count = (this.passes.get(name) ?? 0) + 1;
    this.passes.set(name, count);
    const fault = this.faults.find((candidate) => candidate.name === name && candidate.nth === count);
    if (!fault) return;
    if (fault.action === 'kill9') process.kill(process.pid, 'SIGKILL');
    if (fault.action === 'throw') throw new Error(`fault injected at ${name}`);
    const milliseconds = fault.action === 'hang' ? 3_600_000 : Number(fault.action.replace('sleep:', ''));
    await this.sleeper.sleep(milliseconds);
  }
}

function parseFault(text: string): Fault {
  const [name = '', nth = '', ...action] = text.split(':');
  const joined = action.join(':');
  if (!/^(kill9|throw|hang|sleep:\d+)$/.test(joined) || !/^\d+$/.test(nth)) {
    throw new Error(`FAULTS: "${text}" is not name:nth:(kill9|throw|hang|sleep:ms)`);
  }
  return { name, nth: Number(nth), action: joined as FaultAction };
}
