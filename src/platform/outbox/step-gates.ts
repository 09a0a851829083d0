import { Injectable } from '@nestjs/common';

/** Says which steps may be begun now. */
export interface StepGate {
  /** How many of each bounded step this process may begin now; a step that is left out has no bound. */
  stepCapacity(): ReadonlyMap<string, number>;
  /** Since when a step may be begun: null while it may not, undefined where nothing has ever held it up. */
  openSince(step: string): Date | null | undefined;
}

/** Holds back due work that waits for something outside that does not answer: it is not announced, and nobody counts as late for it. */
@Injectable()
export class StepGates implements StepGate {
  private gate: StepGate | null = null;

  /** From now on `gate` is asked; until then all may be begun. */
  register(gate: StepGate): void {
    this.gate = gate;
  }

  /** How many of each bounded step the gate lets begin; nothing is bounded without one. */
  stepCapacity(): ReadonlyMap<string, number> {
    return this.gate?.stepCapacity() ?? new Map<string, number>();
  }

  /** Since when the gate lets a step begin. */
  openSince(step: string): Date | null | undefined {
    return this.gate?.openSince(step);
  }
}
