import { expectEnvelope, type Refusal, withinTime } from '../../support/bad-input.js';
import { Business } from '../../support/business.js';
import * as der from '../../support/der-writer.js';
import type { Answer } from '../../support/http.js';
import { brokenRsaPair, certificate, ecPair, name, OID, pkcs12, type RsaFlaw, rsaPair } from '../../support/pki.js';
import type { RunningStack } from '../../support/stack.js';
import { check, container, inDays, PASSWORD, upload, verdict } from '../../support/uploads.js';

export const certificateCases = (running: () => RunningStack): void => describe('certificate files', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  describe('that cannot serve', () => {
    let business: Business;
    beforeAll(async () => {
      business = await Business.open(stack, { certificate: null });
    });

    const cases: [string, () => Buffer, unknown[], unknown?][] = [
      ['B115 a wrong password', () => container(business.ruc), [400, 'INVALID_CERTIFICATE', 'wrong_password'], 'another'],
      ['B115 an empty password', () => container(business.ruc), [400, 'INVALID_CERTIFICATE', 'wrong_password'], ''],
      ['B115 a password of 1 MB', () => container(business.ruc), [422, 'VALIDATION_FAILED'], 'x'.repeat(900_000)],
      ['B115 a password that is a number', () => container(business.ruc), [422, 'VALIDATION_FAILED'], 7],
      ['B116 an empty file', () => Buffer.alloc(0), [422, 'VALIDATION_FAILED']],
      ['B116 a text', () => Buffer.from('hello'), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 a PEM file', () => Buffer.from(`-----BEGIN CERTIFICATE-----\n${certificate().toString('base64')}\n-----END CERTIFICATE-----`), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 a Java key store', () => Buffer.concat([Buffer.from('feedfeed00000002', 'hex'), Buffer.alloc(100)]), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 a ZIP file', () => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(100)]), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 a PDF before the container', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), container(business.ruc)]), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 bytes behind the container', () => Buffer.concat([container(business.ruc), Buffer.from('x')]), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 half a container', () => container(business.ruc).subarray(0, 700), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 a certificate alone', () => certificate({ ruc: business.ruc }), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B117 ASN.1 nested ten thousand deep', () => nested(10_000), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B117 a RUC wrapped 12,500 times', () => container(business.ruc, { der: { ruc: null, extensions: [[OID.ruc, nested(12_500, 0x04, der.utf8(business.ruc))]] } }), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B117 endless key derivation', () => container(business.ruc, { container: { macIterations: 2 ** 31 - 1 } }), [400, 'INVALID_CERTIFICATE', 'too_many_iterations']],
      ['B117 a key that signs for hours', () => broken('prime_huge'), [400, 'INVALID_CERTIFICATE', 'unsupported_key']],
      ['B120 no key', () => container(business.ruc, { container: { keys: [] } }), [400, 'INVALID_CERTIFICATE', 'no_private_key']],
      ['B120 the key of somebody else', () => container(business.ruc, { container: { keys: [{ key: rsaPair('else') }] } }), [400, 'INVALID_CERTIFICATE', 'key_mismatch']],
      ['B120 an elliptic-curve key', () => container(business.ruc, { key: ecPair(), der: { key: ecPair() } }), [400, 'INVALID_CERTIFICATE', 'unsupported_key']],
      ['B120 RSA of 1024 bits', () => weak(1024, 65537), [400, 'INVALID_CERTIFICATE', 'weak_key']],
      ['B120 an RSA exponent of 3', () => weak(2048, 3), [400, 'INVALID_CERTIFICATE', 'weak_key']],
      ['B120 a prime that is none of the modulus', () => broken('prime_off_by_one'), [400, 'INVALID_CERTIFICATE', 'test_signature_failed']],
      ['B120 a prime of zero', () => broken('prime_zero'), [400, 'INVALID_CERTIFICATE', 'test_signature_failed']],
      ['B120 an even modulus', () => broken('modulus_even'), [400, 'INVALID_CERTIFICATE', 'test_signature_failed']],
      ['B120 a certificate for encryption', () => container(business.ruc, { der: { keyUsage: ['keyEncipherment'] } }), [400, 'INVALID_CERTIFICATE', 'no_signing_key']],
      ['B120 the certificate of an authority', () => container(business.ruc, { der: { ca: true } }), [400, 'INVALID_CERTIFICATE', 'no_signing_key']],
      ['B120 a self-signed certificate', () => container(business.ruc, { der: { subject: SELF, issuer: SELF } }), [400, 'INVALID_CERTIFICATE', 'self_signed']],
      ['B121 an expired certificate', () => container(business.ruc, { der: { validTo: inDays(-1) } }), [400, 'CERTIFICATE_EXPIRED']],
      ['B121 a certificate of tomorrow', () => container(business.ruc, { der: { validFrom: inDays(1) } }), [400, 'INVALID_CERTIFICATE', 'not_yet_valid']],
      ['B121 the certificate of another taxpayer', () => container('1790012345001'), [400, 'INVALID_CERTIFICATE', 'ruc_mismatch']],
      ['B121 a certificate without RUC', () => container(business.ruc, { der: { ruc: null } }), [400, 'INVALID_CERTIFICATE', 'ruc_mismatch']],
      ['B116 a name of 2,500 characters', () => container(business.ruc, { der: { subject: name([OID.c, der.printable('EC')], [OID.cn, der.utf8('Ñ'.repeat(2_500))]) } }), [400, 'INVALID_CERTIFICATE', 'malformed']],
      ['B116 a certificate of 7 KB', () => container(business.ruc, { der: { extensions: [['1.3.6.1.4.1.99999.1', Buffer.alloc(6_000)]] } }), [400, 'INVALID_CERTIFICATE', 'signature_too_large']],
      ['B116 65,537 bytes', () => Buffer.alloc(65_537, 0x30), [413, 'PAYLOAD_TOO_LARGE', 'too_large']],
      ['B116 70,000 bytes', () => Buffer.alloc(70_000, 0x30), [413, 'PAYLOAD_TOO_LARGE', 'too_large']],
      ['B116 a megabyte', () => Buffer.alloc(1_048_576, 0x30), [413, 'PAYLOAD_TOO_LARGE', 'too_large']],
      ['B116 65,536 bytes', () => Buffer.alloc(65_536, 0x30), [400, 'INVALID_CERTIFICATE', 'malformed']],
    ];
    const SELF = name([OID.c, der.printable('EC')], [OID.cn, der.utf8('YO MISMO')]);
    const weak = (bits: number, exponent: number): Buffer => {
      const key = rsaPair('weak', bits, exponent);
      return container(business.ruc, { key, der: { key } });
    };
    const broken = (flaw: RsaFlaw): Buffer => {
      const key = brokenRsaPair(flaw);
      return container(business.ruc, { key, der: { key } });
    };
    const nested = (depth: number, tag = 0x30, innermost: Buffer = Buffer.alloc(0)): Buffer => {
      let bytes: Buffer = innermost;
      for (let level = 0; level < depth && bytes.length < 60_000; level += 1) bytes = der.tlv(tag, bytes);
      return bytes;
    };

    it.each(cases)('%s', async (_name, file, expected, password = PASSWORD) => {
      const answer = await withinTime(upload(business, file(), password));
      expect(verdict(answer)).toEqual(expected);
      expectEnvelope(answer as unknown as Answer<Refusal>);
      expect(JSON.stringify(answer.body)).not.toContain(PASSWORD);
    });

    it('B115 to B121 are explained in the words of the check, in the language of the caller', async () => {
      const explanation = async (file: Buffer, password: string, language: string): Promise<string> => {
        const body = { file_base64: file.toString('base64'), password };
        const answer = await business.call<{ error: { detail: { explanation: string } } }>('POST', `/issuers/${business.issuerId}/certificates`, body, { 'accept-language': language });
        return answer.body.error.detail.explanation;
      };
      const authority = container(business.ruc, { der: { ca: true } });
      const told: [Buffer, string, string, string][] = [
        [container(business.ruc), 'another', 'La contraseña no abre el archivo', 'The password does not open the file'],
        [authority, PASSWORD, 'El único certificado con clave es el de una autoridad', 'The only certificate with a key is that of an authority'],
        [container('1790012345001'), PASSWORD, `El certificado no es del RUC ${business.ruc}; lleva: 1790012345001`, `The certificate is not of the RUC ${business.ruc}; it carries: 1790012345001`],
      ];
      for (const [file, password, es, en] of told) expect([await explanation(file, password, 'es'), await explanation(file, password, 'en')]).toEqual([es, en]);
    });

    it.each(cases)('%s is told by the check, which is no refusal', async (name, file, [status, code, reason], password = PASSWORD) => {
      const answer = await withinTime(check(business, file(), password));
      expect(JSON.stringify(answer.body)).not.toContain(PASSWORD);
      if (status === 422 || status === 413) {
        expect(verdict(answer)).toEqual(reason === undefined ? [status, code] : [status, code, reason]);
        return;
      }
      const failed = answer.body.checks.filter(({ outcome }) => outcome === 'failed').map(({ detail }) => detail.reason);
      expect([answer.status, answer.body.outcome]).toEqual([200, 'failed']);
      expect(failed).toContain(code === 'CERTIFICATE_EXPIRED' ? 'expired' : name.includes('authority') ? 'authority_certificate' : reason);
    });

    it('leave nothing behind', async () => {
      expect((await business.call('GET', `/issuers/${business.issuerId}/certificates`)).body).toEqual({ items: [], total: 0 });
    });

    it('are a hundred of an issuer at most that are not revoked, and one of them may come again', async () => {
      const own = await Business.open(stack, { certificate: null });
      const first = container(own.ruc, { der: { serial: 1n } });
      expect((await upload(own, first)).status).toBe(201);
      await stack.database.query(
        `insert into certificates select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'fingerprint_sha256', lpad(to_hex(n), 64, '0'), 'is_active', false))).*
         from certificates c cross join generate_series(1, 99) n where c.issuer_id = $1`, [own.issuerId]);
      const refused = await upload(own, container(own.ruc, { der: { serial: 2n } }));
      expect([refused.status, refused.body]).toMatchObject([422, { detail: [{ loc: ['body', 'file_base64'], type: 'too_many_certificates', ctx: { max: 100 } }] }]);
      expect((await upload(own, first)).status).toBe(201);
      const listed = async (): Promise<{ id: string; is_active: boolean }[]> => (await own.call<{ items: { id: string; is_active: boolean }[] }>('GET', `/issuers/${own.issuerId}/certificates`)).body.items;
      expect(await listed()).toHaveLength(100);
      const other = (await listed()).find(({ is_active }) => !is_active);
      expect((await own.call('DELETE', `/issuers/${own.issuerId}/certificates/${other?.id ?? ''}`)).status).toBe(204);
      expect((await upload(own, container(own.ruc, { der: { serial: 2n } }))).status).toBe(201);
      expect(await listed()).toHaveLength(101);
    });

    it.each([['B118', 'rc2-40'], ['B118', 'rc2-128'], ['B118', '3des'], ['B119', 'aes-128'], ['B119', 'aes-256']] as const)('%s whereas a container under %s serves', async (_class, encryption) => {
      const own = await Business.open(stack, { certificate: null });
      const file = container(own.ruc, { container: { keyEncryption: encryption === 'rc2-40' ? '3des' : encryption, certificateEncryption: encryption, mac: encryption.startsWith('aes') ? 'sha256' : 'sha1' } });
      expect((await upload(own, file)).status).toBe(201);
    });

    it('B120 and the pair that signs is chosen out of two', async () => {
      const own = await Business.open(stack, { certificate: null });
      const [a, b] = [rsaPair('a'), rsaPair('b')];
      const dates = { validFrom: inDays(-1), validTo: inDays(300), ruc: own.ruc };
      const file = pkcs12({
        password: PASSWORD,
        keys: [{ key: a }, { key: b }],
        certificates: [
          { der: certificate({ key: a, serial: 1n, keyUsage: ['keyEncipherment'], ...dates }) },
          { der: certificate({ key: b, serial: 2n, ...dates }) },
        ],
      });
      expect((await upload(own, file)).body).toMatchObject({ serial_number: '2' });
    });
  });

  it('B122 uploaded twice, also at the same time, is one', async () => {
    const business = await Business.open(stack, { certificate: null });
    const file = container(business.ruc);
    const answers = await Promise.all(Array.from({ length: 4 }, () => upload(business, file)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
  });

  it('B116 may come in parts, the file under any name, and in nothing else', async () => {
    const business = await Business.open(stack, { certificate: null });
    const send = (form: FormData, act = ''): Promise<Response> =>
      fetch(`${stack.apiUrl}/issuers/${business.issuerId}/certificates${act}`, { method: 'POST', headers: { 'x-api-key': business.apiKey }, body: form });
    const form = (parts: Record<string, string | Blob>): FormData => {
      const data = new FormData();
      for (const [part, value] of Object.entries(parts)) {
        if (typeof value === 'string') data.append(part, value);
        else data.append(part, value, '../../x.p12');
      }
      return data;
    };
    const file = new Blob([Uint8Array.from(container(business.ruc))]);
    expect((await send(form({ file, password: PASSWORD }))).status).toBe(201);
    expect((await send(form({ file, password: PASSWORD }), '/check')).status).toBe(200);
    expect((await send(form({ file: new Blob([new Uint8Array(70_000)]), password: PASSWORD }), '/check')).status).toBe(413);
    expect((await send(form({ file }))).status).toBe(400);
    expect((await send(form({ password: PASSWORD }))).status).toBe(400);
    expect((await send(form({ file, password: PASSWORD, '': 'x' }))).status).toBe(400);
    expect((await send(form({ file, password: PASSWORD, 'a[__proto__][b]': 'x' }))).status).toBeGreaterThanOrEqual(400);
    expect((await send(form({ other: file, password: PASSWORD }))).status).toBe(400);
    expect((await send(form({ file: new Blob([new Uint8Array(70_000)]), password: PASSWORD }))).status).toBe(413);
    expect((await send(form({ file: new Blob([new Uint8Array(2_000_000)]), password: PASSWORD }))).status).toBe(413);
  });

  it('B116 in parts are told by their parts what is wrong with them', async () => {
    const business = await Business.open(stack, { certificate: null });
    const send = async (parts: Record<string, string | Blob>): Promise<{ status: number; body: Refusal }> => {
      const form = new FormData();
      for (const [part, value] of Object.entries(parts)) form.append(part, value);
      const response = await fetch(`${stack.apiUrl}/issuers/${business.issuerId}/certificates`, { method: 'POST', headers: { 'x-api-key': business.apiKey }, body: form });
      return { status: response.status, body: (await response.json()) as Refusal };
    };
    const refusal = async (parts: Record<string, string | Blob>): Promise<unknown[]> => {
      const { status, body } = await send(parts);
      return [status, body.error.code, body.error.detail];
    };
    const findings = async (parts: Record<string, string | Blob>): Promise<unknown[]> => {
      const { status, body } = await send(parts);
      return [status, ...(body.detail ?? []).map(({ loc, type, input }) => [...(loc ?? []), type, input])];
    };
    const file = new Blob([Uint8Array.from(container(business.ruc))]);
    expect(await refusal({ certificate: file, password: PASSWORD })).toEqual([400, 'MALFORMED_REQUEST', { reason: 'unexpected_part', part: 'certificate', expected: 'file' }]);
    expect(await refusal({ file, password: 'x'.repeat(9_000) })).toEqual([400, 'MALFORMED_REQUEST', { reason: 'part_too_long', part: 'password' }]);
    for (const bytes of [65_537, 70_000, 2_000_000]) {
      expect(await refusal({ file: new Blob([new Uint8Array(bytes)]), password: PASSWORD })).toEqual([413, 'PAYLOAD_TOO_LARGE', { reason: 'too_large', max_bytes: 65_536 }]);
    }
    expect(await findings({ password: PASSWORD })).toEqual([400, ['body', 'file', 'missing', null]]);
    expect(await findings({ file: new Blob([]), password: PASSWORD })).toEqual([400, ['body', 'file', 'missing', null]]);
    expect(await findings({ file: 'secret.p12', password: PASSWORD })).toEqual([400, ['body', 'file', 'file_type', null], ['body', 'file', 'missing', null]]);
  });

  it('B122 are activated and revoked at once without a fault of ours', async () => {
    const business = await Business.open(stack, { certificate: null });
    for (let round = 0; round < 8; round += 1) {
      const key = rsaPair(`race ${round % 2}`);
      const { body } = await upload(business, container(business.ruc, { key, der: { key, serial: BigInt(1_000 + round) } }));
      const path = `/issuers/${business.issuerId}/certificates/${body['id'] as string}`;
      const answers = await Promise.all([business.call('POST', `${path}/activate`), business.call('DELETE', path), business.call('POST', `${path}/activate`)]);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 204, 409].includes(status))).toEqual([]);
    }
  });

  it('B122 are not taken for another tenant’s issuer', async () => {
    const [mine, other] = [await Business.open(stack, { certificate: null }), await Business.open(stack, { certificate: null })];
    const answer = await mine.call('POST', `/issuers/${other.issuerId}/certificates`, { file_base64: container(other.ruc).toString('base64'), password: PASSWORD });
    expect(verdict(answer)).toEqual([404, 'NOT_FOUND']);
  });
});
