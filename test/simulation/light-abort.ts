/**
 * AbortController with the same meaning and without the cost of DOM events: the
 * programs make several for every step, and a simulation runs millions of steps.
 */
class LightSignal {
  aborted = false;
  reason: unknown = undefined;
  private readonly listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason ?? new Error('This operation was aborted');
    for (const listener of [...this.listeners]) listener();
    this.listeners.clear();
  }
}

class LightAbortController {
  readonly signal = new LightSignal();

  abort(reason?: unknown): void {
    this.signal.abort(reason);
  }
}

/** For this thread and all programs in it. */
export function useLightAbort(): void {
  globalThis.AbortController = LightAbortController as unknown as typeof AbortController;
}
