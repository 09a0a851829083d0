/** What a process asks of Redis besides its work. None takes long. */
export abstract class RedisProbe {
  /** What was noted under a name; null: nothing. @throws Error when Redis does not answer */
  abstract recall(name: string): Promise<string | null>;
  /** Notes a value under a name, for as long as Redis keeps it. @throws Error when Redis does not answer */
  abstract note(name: string, value: string): Promise<void>;

  /** Whether Redis answers and keeps what it is given, which one that only reads does not; never throws. */
  async isReachable(): Promise<boolean> {
    try {
      await this.note(PROBE.name, PROBE.value);
      return true;
    } catch {
      return false;
    }
  }
}

export const noteKey = (prefix: string, name: string): string => `${prefix}:note:${name}`;

/** What is noted only to see whether Redis takes it. */
export const PROBE = { name: 'probe', value: '1' } as const;

export const REDIS_PROBE = Symbol('RedisProbe');
