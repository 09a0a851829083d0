import { Inject, Injectable } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { answerWithin, LateAnswer } from '../answer-time.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { Envelope, type KeyOfCertificate } from './envelope.js';
import { EnvelopeError, KeeperAwayError, KeyUnavailableError } from './key-wrapper.js';

/** So many of the newest signing keys are looked at. */
const NEWEST = 50;
/** So many of those that may open are tried: one alone may be damaged. */
const TRIED = 5;
/** Whoever asks for readiness has little more patience, and a silent keeper keeps nobody from being ready. */
const ANSWER_MS = 1_000;

interface NewestKey extends KeyOfCertificate {
  readonly head: Buffer;
}

/** Whether the master key of this process is the one under which the stored signing keys are sealed. */
@Injectable()
export class MasterKeyCheck {
  private isProven = false;
  private lastVerdict = false;

  constructor(
    private readonly database: TenantTransaction,
    private readonly envelope: Envelope,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {}

  /** What `fits` said last; false before. */
  get didFit(): boolean {
    return this.lastVerdict;
  }

  /**
   * False while it opens none of the newest active ones. Where there are none yet, any key will do; and while its keeper is away
   * one that may be theirs, for then nobody can tell: documents wait for it anyway.
   */
  async fits(): Promise<boolean> {
    if (this.isProven) return true;
    const newest = await this.database.withoutTenant<NewestKey>(
      'select tenant_id as "tenantId", issuer_id as "issuerId", certificate_id as "certificateId", head from newest_wrapped_keys($1)', [NEWEST],
    );
    this.lastVerdict = newest.length === 0 || (await this.opensOneOf(newest.filter(({ head }) => this.envelope.mayOpen(head)).slice(0, TRIED)));
    return this.lastVerdict;
  }

  private async opensOneOf(keys: readonly NewestKey[]): Promise<boolean> {
    for (const key of keys) {
      try {
        await answerWithin(this.sleeper, ANSWER_MS, this.envelope.proveKey(key.head, key));
        this.isProven = true;
        return true;
      } catch (error) {
        if (error instanceof KeeperAwayError || error instanceof LateAnswer) return true;
        if (!(error instanceof EnvelopeError)) throw error;
        // The keeper has the master key, and the record alone is damaged.
        if (!(error instanceof KeyUnavailableError)) return true;
      }
    }
    return false;
  }
}
