/** One program of the service (or the network between them): what dies together. */
export interface Process {
  readonly name: string;
  alive: boolean;
  /** Stopped but not dead: keeps its memory, runs nothing. */
  paused: boolean;
}

/** Something a process waits for; `fire` does it and lets the process go on. */
export interface Task {
  readonly owner: Process;
  readonly label: string;
  /** Not before this instant (milliseconds of the virtual clock). */
  at: number;
  /** Idle polling: no reason to move the clock, and one of many is enough to see a change. */
  idle: boolean;
  readonly fire: () => unknown;
}

/**
 * Runs programs one step at a time. Every call of a port waits here under its
 * label until it is picked; between picks all programs run until each waits
 * again. Nothing happens in real time, so the picks are the history.
 */
export class Scheduler {
  now: number;
  private tasks: Task[] = [];
  /** Steps made so far. */
  steps = 0;
  /** Labels of the last steps, for the report of a failure; null when nobody wants them. */
  trace: string[] | null = null;

  constructor(start: number) {
    this.now = start;
  }

  add(task: Task): void {
    this.tasks.push(task);
  }

  /** Waits to be picked, then does `work`; the promise never settles when the process dies first. */
  call<T>(owner: Process, label: string, work: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.add({
        owner, label, at: this.now, idle: false,
        fire: () => {
          try {
            const result = work();
            if (result instanceof Promise) return result.then(resolve, reject);
            resolve(result);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
      });
    });
  }

  cancel(task: Task): void {
    const place = this.tasks.indexOf(task);
    if (place >= 0) this.tasks.splice(place, 1);
  }

  /** A process is gone with everything it waited for. */
  kill(owner: Process): void {
    owner.alive = false;
    this.tasks = this.tasks.filter((task) => task.owner !== owner);
  }

  /** Tasks that may run now, oldest first. */
  runnable(): Task[] {
    return this.tasks.filter((task) => task.at <= this.now && !task.idle && !task.owner.paused);
  }

  /** The next instant at which a task other than idle polling may run; Infinity when none will. */
  nextTimer(): number {
    return this.tasks.reduce((soonest, task) => (task.idle || task.owner.paused ? soonest : Math.min(soonest, task.at)), Infinity);
  }

  /** Programs that poll while they have nothing to do; each looks again when it is woken. */
  idlers(): Task[] {
    return this.tasks.filter((task) => task.idle && !task.owner.paused);
  }

  /** Runs one task and everything that follows from it until all programs wait again. */
  async run(task: Task): Promise<void> {
    this.cancel(task);
    this.steps += 1;
    if (this.trace) this.trace.push(`${new Date(this.now).toISOString()} ${task.owner.name}: ${task.label}`);
    this.now += 1;
    await task.fire();
    await this.settle();
  }

  /**
   * Lets every program run until it waits for a port: Node comes to the next tick
   * only once no promise has anything left to do. Call it after an `await`.
   */
  settle(): Promise<void> {
    return new Promise((resolve) => {
      process.nextTick(resolve);
    });
  }
}
