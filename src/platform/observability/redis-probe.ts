/** Tells whether Redis answers; never throws, and does not take long. */
export interface RedisProbe {
  isReachable(): Promise<boolean>;
}

export const REDIS_PROBE = Symbol('RedisProbe');
