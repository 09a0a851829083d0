import 'reflect-metadata';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { SystemClock } from '../adapters/system-clock.js';
import { createLogger } from './logger.js';
import { selfTestCertificate } from './self-test-certificate.js';
import { SigningSelfTest } from './signing-self-test.js';

it('makes a certificate that OpenSSL reads and whose signature holds', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = new X509Certificate(selfTestCertificate(privateKey, publicKey));
  expect(certificate.subject).toBe('CN=sello self-test');
  expect(certificate.verify(publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(privateKey)).toBe(true);
});

it('proves that this host signs as the SRI demands', async () => {
  const test = new SigningSelfTest(new SystemClock(), createLogger('silent'));
  expect(test.failure).not.toBeNull();
  await test.onModuleInit();
  expect(test.failure).toBeNull();
  expect(await test.passes()).toBe(true);
});
