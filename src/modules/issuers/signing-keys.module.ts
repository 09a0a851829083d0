import { Module } from '@nestjs/common';
import { CertificateNotices } from './certificate-notices.js';
import { CertificatesRepository } from './persistence/certificates.repository.js';
import { SigningKeys } from './signing/signing-keys.js';

/** Opened signing keys, for the worker process; and notices of certificates that expire. */
@Module({ providers: [CertificatesRepository, SigningKeys, CertificateNotices], exports: [SigningKeys] })
export class SigningKeysModule {}
