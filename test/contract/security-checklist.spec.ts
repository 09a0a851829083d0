import { readFileSync } from 'node:fs';

/** Where a line of the security checklist is shown: specification -> titles (or parts of them) of its tests. */
type Proof = Readonly<Record<string, readonly string[]>>;

/**
 * The security checklist, one line each (OWASP API Top 10 2023, ASVS 5.0.0). A renamed or removed test fails here, so the
 * list stays true; what the tests themselves assert stands in them.
 */
const CHECKLIST: Readonly<Record<string, Proof>> = {
  'S1 another tenant’s id is as good as a random one, on every route and at every position': { 'test/contract/access-matrix.spec.ts': ["cannot tell another tenant's id from a random one", 'is decided for each of them'] },
  'S2 row security is forced and shows nothing without a tenant': { 'test/integration/row-security.spec.ts': ['is forced on every table', 'shows nothing and takes nothing without a tenant'] },
  'S3 the service owns nothing and cannot step around row security': { 'test/integration/row-security.spec.ts': ['is neither owner nor superuser'], 'test/integration/isolation.spec.ts': ['are not stood in for by views', 'do not bypass row security'] },
  'S4 tenants do not mix on shared connections, also after errors': { 'test/e2e/isolation.spec.ts': ['see nothing of each other in a thousand interleaved requests', 'leave no tenant behind'], 'test/integration/row-security.spec.ts': ['pool of two connections'] },
  'S5 foreign keys carry the tenant': { 'test/integration/row-security.spec.ts': ['keeps tenants apart in every foreign key'], 'test/integration/isolation.spec.ts': ['each foreign key between them carries the tenant'] },
  'S6 an undefined id finds nothing': { 'test/integration/isolation.spec.ts': ['give nothing to a caller whose ids are undefined or null'] },
  'S7 every role and every route': { 'test/contract/access-matrix.spec.ts': ['gets exactly what is due, on every route'], 'src/platform/security/permissions.spec.ts': ['is covered whole'] },
  'S8 no body sets more than its fields': { 'test/contract/access-matrix.spec.ts': ['lets no body set more than its fields'] },
  'S9 API keys are random, shown once and stored as a hash': { 'test/e2e/api-keys.spec.ts': ['are shown once'], 'src/platform/security/api-key.spec.ts': ['draw every character evenly'] },
  'S10 a revoked key fails on the next request on all processes': { 'test/e2e/api-keys.spec.ts': ['revoked they fail from the next request on'] },
  'S11 keys of one environment do not reach the other': { 'test/e2e/production.spec.ts': ['knows live keys only'], 'test/e2e/api-keys.spec.ts': ['of the other environment'] },
  'S12 passwords: argon2id, no 72-byte trap, the most used refused, equal time for unknown people': { 'src/modules/auth/passwords/refuse-weak.spec.ts': ['refuse %s: %s'], 'test/e2e/credentials.spec.ts': ['tells passwords apart beyond 72 bytes', 'takes as long for an unknown address'] },
  'S13 nobody learns whether an account exists': { 'test/e2e/credentials.spec.ts': ['answers a forgotten password alike for all'] },
  'S14 limits hold per key, account and address, over all processes': { 'test/e2e/auth-rate-limits.spec.ts': ['exactly and across processes', 'hold for an account', 'believe no forwarded address', 'leave an account alone where the address is refused'], 'test/e2e/http-input.spec.ts': ['hold per key over all processes'] },
  'S15 access tokens: one algorithm, our keys, short, revoked at once': { 'test/e2e/credentials.spec.ts': ['are short-lived, typed, and carry no right', 'act no more at once'] },
  'S16 sign-in with Google: PKCE, state, nonce, exact callback': { 'test/e2e/sign-in-google.spec.ts': ['with PKCE, state and nonce, at the exact callback', 'a state, and a code, that were used'] },
  'S17 accounts are keyed by issuer and subject': { 'test/e2e/sign-in-google.spec.ts': ['does not let another subject in', 'links an account after a sign-in of the old kind'] },
  'S18 the session cookie’s attributes': { 'test/e2e/credentials.spec.ts': ['are secure outside one machine'], 'test/e2e/sign-in.spec.ts': ['in cookies that its scripts cannot read'] },
  'S19 what changes something by cookie comes from our pages, as JSON': { 'test/e2e/credentials.spec.ts': ['change nothing with a body that a form can send', 'act from our own pages'] },
  'S20 other origins read nothing': { 'test/e2e/credentials.spec.ts': ['across origins (S20)', 'lets no page of %s read'] },
  'S21 private keys are sealed for their record': { 'src/platform/secrets/envelope.spec.ts': ['refuses a secret that was moved'], 'src/modules/issuers/signing/signing-keys.spec.ts': ['copied from another record'] },
  'S22 the master key rotates while the service runs; without it documents wait': { 'test/integration/master-key-rotation.spec.ts': ['wraps every key of every tenant anew'], 'test/e2e/sri-answers.spec.ts': ['waits for a master key that a worker lacks'] },
  'S23 clear keys live minutes, and leave by no door': { 'src/modules/issuers/signing/signing-keys.spec.ts': ['forget a key after five minutes'], 'test/e2e/issuers.spec.ts': ['leaves no password and no key in log, database or answer'] },
  'S24 uploaded containers are opened in isolation': { 'src/platform/secrets/pkcs12-opener.spec.ts': ['ends a thread that computes for ever', 'ends a thread that eats memory'] },
  'S25 signing goes through OpenSSL; SHA-1 serves signatures alone': { 'eslint.config.js': ['SHA-1 is what the SRI demands'], 'src/sri/signing/xades.spec.ts': ['has exactly the structure of the profile'] },
  'S26 one writer escapes all XML': { 'src/sri/xml/canonical.spec.ts': ['is what a canonicaliser would write, for any text'] },
  'S27 hostile XML ends quickly and reaches nothing': { 'src/sri/soap/message.spec.ts': ['deep nesting', 'an endless attribute'], 'src/sri/xml/schema.spec.ts': ['refuses declarations, entities and size'] },
  'S28 a wrapped signature proves nothing': { 'src/sri/signing/self-check.spec.ts': ['signature wrapping'] },
  'S29 what tenants name leads to public addresses only, judged at every call': { 'src/platform/egress/guarded-post.spec.ts': ['refuses a name that leads within', 'goes to the address that was checked', 'follows no redirect'], 'test/e2e/bad-input/webhooks.cases.ts': ['B102'], 'test/e2e/webhooks.spec.ts': ['shows nothing of what a receiver answered'] },
  'S30 messages are signed by Standard Webhooks, with both secrets while they change': { 'test/e2e/webhooks.spec.ts': ['by the public library', 'sign with both while it changes'] },
  'S31 the SRI is spoken to over verified TLS only': { 'src/sri/soap/transport.spec.ts': ['but a changed, valid certificate works', 'follows no redirect'], 'src/config/settings.spec.ts': ['take the services of their own environment'] },
  'S32 no secret in logs, Redis, tables or answers': { 'test/e2e/canary-secrets.spec.ts': ['secrets'], 'src/platform/observability/logger.spec.ts': ['takes keys and bearer tokens out'] },
  'S33 nobody forges a line of the log': { 'test/e2e/production.spec.ts': ['writes one line of JSON per event'] },
  'S34 faults of ours tell nothing but where they are logged': { 'test/e2e/production.spec.ts': ['says of its own faults no more'] },
  'S35 bodies, depth, headers, time and uploads are bounded': { 'test/e2e/bad-input/transport.spec.ts': ['over the limit are refused and the connection ends: declared', 'of exactly the limit are read', '%s are not looked at', 'take no room from others'] },
  'S36 no regular expression needs more than linear time': { 'eslint.config.js': ["'regexp/no-super-linear-backtracking': 'error'", "'regexp/no-super-linear-move': 'error'"] },
  'S38 what people and keys do is told, and stays told': { 'test/e2e/audit-log.spec.ts': ['tells of %s', 'commits with the act or not at all'] },
  'S39 numbers and idempotency hold under races': { 'test/integration/numbering.spec.ts': ['200 parallel calls', '50 parallel calls'], 'test/e2e/idempotency.spec.ts': ['50 parallel POSTs'] },
  'S41 headers protect, pages of developers are closed in production': { 'test/e2e/production.spec.ts': ['protects its answers by headers', '%s is closed'] },
  'S42 a platform administrator enters a tenant explicitly and visibly': { 'test/e2e/platform.spec.ts': ['enters a tenant only where the call names it'], 'test/e2e/sign-in.spec.ts': ['lets a platform administrator enter any tenant, and tells the tenant'] },
  'S43 a dump signs nothing without the master key': { 'src/platform/secrets/envelope.spec.ts': ['does not open, but may elsewhere'] },
};

/** Lines whose subject does not exist yet. */
const LATER: Readonly<Record<string, string>> = {
  S37: 'exports and mail to buyers',
  S40: 'supply chain of releases',
};

describe('the security checklist', () => {
  it('has every line once', () => {
    const numbers = [...Object.keys(CHECKLIST).map((line) => line.split(' ')[0]), ...Object.keys(LATER)];
    expect([...numbers].sort()).toEqual(Array.from({ length: 43 }, (_, i) => `S${i + 1}`).sort());
  });

  it.each(Object.entries(CHECKLIST))('%s', (_line, proof) => {
    for (const [file, titles] of Object.entries(proof)) {
      const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      for (const title of titles) expect(text.includes(title) ? title : `${file} has no "${title}"`).toBe(title);
    }
  });
});
