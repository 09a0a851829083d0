import { createHash } from 'node:crypto';
import { applyDecorators, Inject, Injectable, type OnApplicationShutdown, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { type Cluster, Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { answerWithin, LateAnswer } from '../answer-time.js';
import { type Logger, LOGGER } from '../observability/logger.js';
import { Meters } from '../observability/meters.js';
import { noteKey, RedisProbe } from '../observability/redis-probe.js';
import { leaveDemoted } from '../queue/demoted.js';
import { openRedisCluster } from '../queue/redis-cluster.js';
import { accountAddress } from './email-address.js';

/** Buckets of the specification (section 8): issuing, polling one document, proving who one is, everything else; and naming oneself anew. */
export type RateBucket = 'issue' | 'read' | 'auth' | 'rename' | 'other';

/** What is counted: calls of the buckets, those that try one account, from wherever they come, and those of nobody that is known. */
export type Counted = RateBucket | 'account' | 'refused';

export const RATE_BUCKET_KEY = 'rate-bucket';

/** The bucket a route counts in; routes that say nothing count as `other`. */
export const RateLimit = (bucket: RateBucket): MethodDecorator => applyDecorators(SetMetadata(RATE_BUCKET_KEY, bucket), ApiExtension('x-rate-limit', bucket));

/** `POST /auth/*` of the specification: what proves who somebody is. */
export const provesSomebody = (method: string, path: string): boolean => method.toUpperCase() === 'POST' && path.startsWith('/auth/');

/** The bucket that a call counts in, given what its route declares. */
export const bucketOf = (method: string, path: string, declared: RateBucket | undefined): RateBucket => (provesSomebody(method, path) ? 'auth' : (declared ?? 'other'));

export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window starts anew, at least 1. */
  readonly resetSeconds: number;
}

/** After so long a bucket is counted anew. */
export const windowOf = (bucket: Counted): number => (bucket === 'rename' ? 3_600 : 60);

/** An account as it is counted, by its address as it is looked up: spellings share a bucket. The address itself is kept nowhere. */
export const accountCounted = (email: string): string => `account:${createHash('sha256').update(accountAddress(email.trim())).digest('base64url')}`;

/** An account may be tried so many times as often as one address may try: else a single address could use up its owner's tries. */
const ADDRESSES_OF_ACCOUNT = 5;

/** A Redis that does not answer within this time counts as down; not one whose answer this process comes late to read. */
const ANSWER_MS = 250;
/** A connection to a node of a cluster on which nothing at all comes for so long, its beginning included, is made anew. */
const SILENCE_MS = 10_000;

/**
 * Counts calls per principal in Redis, so that all processes share one limit.
 * With Redis down each process counts for itself and calls go on, but for those
 * of the buckets `auth` and `account`: passwords are not guessed at while nobody counts.
 */
@Injectable()
export class RateLimits extends RedisProbe implements OnApplicationShutdown {
  private readonly redis: Redis | Cluster;
  /** What all processes count together. */
  private readonly shared: Readonly<Record<Counted, RateLimiterRedis>>;
  /** What this process counts by itself while Redis is down. */
  private readonly own: Readonly<Record<Exclude<Counted, 'auth' | 'account'>, RateLimiterMemory>>;
  private readonly limits: Readonly<Record<Counted, number>>;
  private wasDown = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly meters: Meters,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {
    super();
    const connectTimeout = 2_000;
    this.redis = settings.REDIS_CLUSTER
      ? openRedisCluster(settings, { node: { connectTimeout, socketTimeout: SILENCE_MS }, offlineQueue: false })
      : new Redis(settings.REDIS_URL, {
          connectTimeout,
          // A call notices when the connection does not answer, and has it made anew. For questions that are asked before any call nobody would.
          enableReadyCheck: false, disableClientInfo: true,
          // Nothing is sent again on a new connection: Redis may have counted it already.
          maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false, enableOfflineQueue: false,
          retryStrategy: (times) => Math.min(100 * times, 2_000),
          reconnectOnError: leaveDemoted,
        });
    this.redis.on('error', (error: Error) => this.reportDown(error));
    this.limits = {
      issue: settings.RATE_LIMIT_ISSUE_PER_MINUTE,
      read: settings.RATE_LIMIT_READ_PER_MINUTE,
      auth: settings.RATE_LIMIT_AUTH_PER_MINUTE,
      account: settings.RATE_LIMIT_AUTH_PER_MINUTE * ADDRESSES_OF_ACCOUNT,
      rename: settings.RATE_LIMIT_RENAME_PER_HOUR,
      other: settings.RATE_LIMIT_OTHER_PER_MINUTE,
      refused: settings.RATE_LIMIT_OTHER_PER_MINUTE,
    };
    const rate = (bucket: Counted): { points: number; duration: number } => ({ points: this.limits[bucket], duration: windowOf(bucket) });
    const shared = (bucket: Counted): RateLimiterRedis =>
      new RateLimiterRedis({ ...rate(bucket), storeClient: this.redis, keyPrefix: `${settings.QUEUE_PREFIX}:rate:${bucket}`, rejectIfRedisNotReady: true });
    this.shared = { issue: shared('issue'), read: shared('read'), auth: shared('auth'), account: shared('account'), rename: shared('rename'), other: shared('other'), refused: shared('refused') };
    this.own = { issue: new RateLimiterMemory(rate('issue')), read: new RateLimiterMemory(rate('read')), rename: new RateLimiterMemory(rate('rename')), other: new RateLimiterMemory(rate('other')), refused: new RateLimiterMemory(rate('refused')) };
  }

  /**
   * Counts one call of the principal (or address, or account) against a bucket.
   * @throws DomainError SERVICE_UNAVAILABLE for the buckets `auth` and `account` while Redis is down
   */
  async take(bucket: Counted, principalId: string): Promise<RateVerdict> {
    try {
      return this.verdict(bucket, true, await this.count(bucket, principalId));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return this.verdict(bucket, false, refusal);
      throw refusal;
    }
  }

  /** Counts the tries of an account anew. Never throws: with Redis down its window goes to its end. */
  async forgetTries(email: string): Promise<void> {
    try {
      await this.answered(this.shared.account.delete(accountCounted(email)));
      this.reportUp();
    } catch (failure) {
      this.reportDown(failure);
    }
  }

  /** What was noted under a name. @throws Error when Redis does not answer */
  async recall(name: string): Promise<string | null> {
    return this.answered(this.redis.get(noteKey(this.settings.QUEUE_PREFIX, name)));
  }

  /** Notes a value under a name. @throws Error when Redis does not answer */
  async note(name: string, value: string): Promise<void> {
    await this.answered(this.redis.set(noteKey(this.settings.QUEUE_PREFIX, name), value));
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  /** @throws RateLimiterRes when the bucket is used up; DomainError SERVICE_UNAVAILABLE as `take` */
  private async count(bucket: Counted, principalId: string): Promise<RateLimiterRes> {
    try {
      const counted = await this.answered(this.shared[bucket].consume(principalId));
      this.reportUp();
      return counted;
    } catch (failure) {
      if (failure instanceof RateLimiterRes) {
        this.reportUp();
        throw failure;
      }
      this.reportDown(failure);
      if (bucket === 'auth' || bucket === 'account') throw new DomainError('SERVICE_UNAVAILABLE');
      return this.own[bucket].consume(principalId);
    }
  }

  /** What Redis answers in time. @throws LateAnswer, or what Redis or the limiter refuses with */
  private async answered<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answerWithin(this.sleeper, ANSWER_MS, answer);
    } catch (failure) {
      // Made anew, and nobody waits on it until then.
      if (failure instanceof LateAnswer && this.redis.status === 'ready') this.redis.disconnect(true);
      throw failure;
    }
  }

  private verdict(bucket: Counted, allowed: boolean, state: RateLimiterRes): RateVerdict {
    if (!allowed) this.meters.count('rateLimited', { bucket });
    return {
      allowed,
      limit: this.limits[bucket],
      remaining: Math.max(0, state.remainingPoints),
      resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1_000)),
    };
  }

  private reportDown(error: unknown): void {
    if (!this.wasDown) this.logger.warn({ err: error }, 'Redis is unreachable: rate limits are counted per process');
    this.wasDown = true;
  }

  private reportUp(): void {
    if (this.wasDown) this.logger.info('Redis answers again: rate limits are shared');
    this.wasDown = false;
  }
}
