import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * For this thread and all programs in it: work runs without the context that its lines in the log would name. Nobody
 * logs here, and while any context is under way Node follows every promise, which costs a tenth of a simulation.
 */
export function useNoLogContext(): void {
  AsyncLocalStorage.prototype.run = <R, A extends unknown[]>(_context: unknown, work: (...args: A) => R, ...args: A): R => work(...args);
}
