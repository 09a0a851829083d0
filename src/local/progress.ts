/** Prints one line per finished step, with the time it took; on a terminal also the steps under way. */
export class Progress {
  private readonly underWay = new Set<string>();

  constructor(private readonly out: NodeJS.WriteStream) {}

  line(text = ''): void {
    this.clear();
    this.out.write(`${text}\n`);
    this.show();
  }

  /**
   * Runs a step and prints its line.
   * @param name   what is under way, e.g. `PostgreSQL`
   * @param result turns the outcome into the words of the finished line
   */
  async step<T>(name: string, work: () => Promise<T>, result: (outcome: T) => string = () => name): Promise<T> {
    const started = performance.now();
    this.underWay.add(name);
    this.show();
    try {
      const outcome = await work();
      this.finish(name, '✓', result(outcome), started);
      return outcome;
    } catch (error) {
      this.finish(name, '✗', name, started);
      throw error;
    }
  }

  private finish(name: string, mark: string, text: string, started: number): void {
    this.underWay.delete(name);
    const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    this.line(`  ${mark} ${text.padEnd(72)} ${seconds.padStart(7)}`);
  }

  private show(): void {
    if (!this.out.isTTY || this.underWay.size === 0) return;
    this.clear();
    this.out.write(`  … ${[...this.underWay].join(', ')}`);
  }

  private clear(): void {
    if (this.out.isTTY) this.out.write('\r\x1b[2K');
  }
}
