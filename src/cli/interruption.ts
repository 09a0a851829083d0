/** Ctrl-C, or a supervisor. Without a handler either ends the process at once. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Aborted by the first of them, which does not end the process then; the next one does. */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Has something told before one of them ends the process while work is under way. */
export async function tellingIfInterrupted<T>(work: Promise<T>, tell: () => void): Promise<T> {
  const end = (signal: NodeJS.Signals): void => {
    tell();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    return await work;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
