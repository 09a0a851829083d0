import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { SAMPLE_DOCUMENT, verifySignedDocument } from '../../sri/signing/self-check.js';
import { XadesSigner } from '../../sri/signing/xades.js';
import { type Logger, LOGGER } from './logger.js';
import { selfTestCertificate } from './self-test-certificate.js';

/**
 * Signs and verifies one sample at start: a host whose cryptographic policy
 * forbids RSA-SHA1, which the SRI demands, is not ready and says so. A worker begins nothing there.
 */
@Injectable()
export class SigningSelfTest implements OnModuleInit {
  private problem: string | null = 'not run yet';
  private underWay: Promise<string | null> | null = null;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.passes();
  }

  /** Whether signing works on this host. Tries, unless it has worked already. */
  async passes(): Promise<boolean> {
    if (this.problem === null) return true;
    const problem = await (this.underWay ??= this.run());
    this.underWay = null;
    if (problem !== null && problem !== this.problem) this.logger.error({ problem }, 'the signing self-test failed: this process cannot sign documents');
    this.problem = problem;
    return problem === null;
  }

  /** Null when signing works on this host, else the reason. */
  get failure(): string | null {
    return this.problem;
  }

  private async run(): Promise<string | null> {
    try {
      const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
      const signer = new XadesSigner(selfTestCertificate(privateKey, publicKey), privateKey);
      const check = verifySignedDocument(await signer.sign(SAMPLE_DOCUMENT, this.clock.now()));
      return check.valid ? null : (check.problem ?? 'the signature does not verify');
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown failure';
    }
  }
}
