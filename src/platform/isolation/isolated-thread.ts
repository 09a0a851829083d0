import { type ChildProcess, spawn } from 'node:child_process';
import { HOST_PROGRAM } from './host-program.js';

/** What one task may use. */
export interface ThreadLimits {
  /** Objects of JavaScript, in MB. */
  readonly heapMb: number;
  /** Everything, buffers and Node itself (51 MB) included, in MB. */
  readonly residentMb: number;
  /** Processor time: by the clock the cheapest task takes long on a machine that is busy, or stands still for a while. */
  readonly processorMs: number;
}

/** Why a thread is no more: it exceeded a limit, the machine has no room for a process, or it broke for a reason of its own. */
export interface ThreadEnding {
  readonly limit: 'memory' | 'processor_time' | 'machine' | null;
  readonly reason: string;
}

/** How a process ends that finds no memory for objects or stack: not always by an error that can be caught. */
const CRASHES = new Set<NodeJS.Signals>(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS']);

export interface ThreadListener {
  /** What the thread posted, one for each task. */
  answered(answer: unknown): void;
  /** The thread is gone, unless by `end`; nothing comes after it. */
  ended(ending: ThreadEnding): void;
}

interface HostMessage {
  readonly answer?: unknown;
  readonly ending?: { readonly limit?: ThreadEnding['limit']; readonly reason?: string };
}

/**
 * A thread for work on what strangers hand in, in a process of its own, which is killed when the thread exceeds its limits or this
 * process ends (docs/adr/027-isolated-processes.md). The file receives tasks and answers them by the `parentPort` of
 * `node:worker_threads`. It sees no environment: that holds secrets.
 */
export class IsolatedThread {
  private readonly host: ChildProcess;
  private readonly gone: Promise<void>;
  private silent = false;

  constructor(
    file: URL,
    limits: ThreadLimits,
    private readonly listener: ThreadListener,
  ) {
    this.host = spawn(process.execPath, ['--no-warnings', '--eval', HOST_PROGRAM], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {},
    });
    this.gone = new Promise((resolve) => {
      // Not 'exit': that may come before the last message.
      this.host.once('close', (code, signal) => {
        this.finish({ limit: signal !== null && CRASHES.has(signal) ? 'memory' : null, reason: `its process ended with ${signal ?? String(code)}` });
        resolve();
      });
      this.host.on('error', (error) => {
        this.finish({ limit: 'machine', reason: `its process did not start: ${error.message}` });
        resolve();
      });
    });
    this.host.on('message', (message: HostMessage) => this.received(message));
    this.send({ file: file.href, limits });
  }

  /** Hands over a task of plain data and bytes. One at a time: its limits begin anew with each. */
  post(task: unknown): void {
    this.send(task);
  }

  /** Whether this process stays up for it. */
  keepsProcessUp(yes: boolean): void {
    const { host } = this;
    if (yes) {
      host.ref();
      host.channel?.ref();
    } else {
      host.unref();
      host.channel?.unref();
    }
  }

  /** Ends it, whatever it is doing; resolves once its process is gone. The listener hears of nothing any more. */
  async end(): Promise<void> {
    this.silent = true;
    this.keepsProcessUp(true);
    this.host.kill('SIGKILL');
    await this.gone;
  }

  private send(message: unknown): void {
    // A process that is gone, or did not start and then cannot be sent anything, says so by itself.
    if (this.host.channel) this.host.send(message as object, () => undefined);
  }

  private received({ answer, ending }: HostMessage): void {
    if (ending !== undefined) this.finish({ limit: ending.limit ?? null, reason: ending.reason ?? `too much ${ending.limit ?? 'of all'}` });
    else if (!this.silent) this.listener.answered(answer);
  }

  private finish(ending: ThreadEnding): void {
    if (this.silent) return;
    this.silent = true;
    this.listener.ended(ending);
  }
}
