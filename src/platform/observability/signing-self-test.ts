import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { verifySignedDocument } from '../../sri/signing/self-check.js';
import { XadesSigner } from '../../sri/signing/xades.js';
import { type Logger, LOGGER } from './logger.js';
import { selfTestCertificate } from './self-test-certificate.js';

const SAMPLE = '<factura id="comprobante" version="1.1.0"><infoTributaria><razonSocial>Ñandú &amp; Cía</razonSocial></infoTributaria></factura>';

/**
 * Signs and verifies one sample at start: a host whose cryptographic policy
 * forbids RSA-SHA1, which the SRI demands, is not ready and says so.
 */
@Injectable()
export class SigningSelfTest implements OnModuleInit {
  private problem: string | null = 'not run yet';

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.problem = await this.run();
    if (this.problem !== null) this.logger.error({ problem: this.problem }, 'the signing self-test failed: this process cannot sign documents');
  }

  /** Null when signing works on this host, else the reason. */
  get failure(): string | null {
    return this.problem;
  }

  private async run(): Promise<string | null> {
    try {
      const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
      const signer = new XadesSigner(selfTestCertificate(privateKey, publicKey), privateKey);
      const check = verifySignedDocument(await signer.sign(SAMPLE, this.clock.now()));
      return check.valid ? null : (check.problem ?? 'the signature does not verify');
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown failure';
    }
  }
}
