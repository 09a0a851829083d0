/** What a process asks of Redis besides its work. None takes long. */
export interface RedisProbe {
  /** Whether Redis answers and keeps what it is given, which one that only reads does not; never throws. */
  isReachable(): Promise<boolean>;
  /** What was noted under a name; null: nothing. @throws Error when Redis does not answer */
  recall(name: string): Promise<string | null>;
  /** Notes a value under a name, for as long as Redis keeps it. @throws Error when Redis does not answer */
  note(name: string, value: string): Promise<void>;
}

export const noteKey = (prefix: string, name: string): string => `${prefix}:note:${name}`;

/** What is noted only to see whether Redis takes it. */
export const PROBE = { name: 'probe', value: '1' } as const;

export const REDIS_PROBE = Symbol('RedisProbe');
