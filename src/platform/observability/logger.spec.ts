import { noteDocument, withLogFields } from './log-context.js';
import { createLogger, redact } from './logger.js';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  write(createLogger('trace', { write: (line: string) => void (text += line) }));
  return text;
}

const CANARY = 'canary-4711';
const KEY = `svc_test_${'a'.repeat(38)}`;

describe('the log', () => {
  it.each(['x-api-key', 'X-API-Key', 'api_key', 'apiKey', 'authorization', 'Authorization', 'cookie', 'set-cookie', 'password', 'p12', 'file', 'file_base64', 'fileBase64', 'private_key', 'privateKeyPkcs8', 'sealed_key', 'MASTER_KEY', 'client_secret', 'refresh_token', 'contrasena', 'contraseña', 'Contrasenia', 'nuevaContraseña', 'clave', 'clave_nueva', 'miClave', 'claves', 'clave_p12', 'passwd', 'pass', 'user_pass', 'smtpPass', 'passphrase', 'pwd', 'userPwd'])(
    'never holds the value of %s, at any depth',
    (name) => {
      for (const record of [{ [name]: CANARY }, { a: { b: [{ [name]: CANARY }] } }, { a: { [name]: { deeper: CANARY } } }]) {
        const line = logged((logger) => logger.info(record, 'x'));
        expect(line).toContain('[redacted]');
        expect(line).not.toContain(CANARY);
      }
    },
  );

  it('keeps what is no secret', () => {
    const line = logged((logger) => logger.info({ access_key: '4901', idempotency: 'k', issuer: { ruc: '179' } }, 'x'));
    expect(JSON.parse(line)).toMatchObject({ access_key: '4901', idempotency: 'k', issuer: { ruc: '179' }, message: 'x', level: 'info' });
  });

  it.each(['access_key', 'clave_acceso', 'claveAcceso', 'clavesDeAcceso', 'clave_de_acceso', 'claveAccesoComprobante', 'ClaveAccesoConsultada', 'passport', 'passed', 'bypass', 'compass', 'passengers'])(
    'keeps the value of %s',
    (name) => {
      expect(redact({ [name]: '4901' })).toEqual({ [name]: '4901' });
    },
  );

  it('names request and document in every line that is written on their behalf, and in no other', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('trace', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const work = (request: string, document: string): Promise<void> =>
      withLogFields({ request_id: request }, async () => {
        logger.info('begun');
        await Promise.resolve();
        noteDocument(document);
        await new Promise((resolve) => setImmediate(resolve));
        logger.warn({ note: request }, 'deep');
      });
    await Promise.all([work('r1', 'd1'), work('r2', 'd2')]);
    noteDocument('nobody asks');
    logger.info('outside');
    const named = lines.map(({ request_id, document_id, message }) => [message, request_id, document_id]);
    expect(named.sort()).toEqual([['begun', 'r1', undefined], ['begun', 'r2', undefined], ['deep', 'r1', 'd1'], ['deep', 'r2', 'd2'], ['outside', undefined, undefined]]);
  });

  it('takes keys and bearer tokens out of free text and of error texts', () => {
    const error = new Error(`refused ${KEY}`, { cause: new Error(`Bearer abc.def`) });
    const line = logged((logger) => logger.error({ err: error, note: `key ${KEY} used` }, 'x'));
    expect(line).not.toContain(KEY);
    expect(line).not.toContain('abc.def');
    expect(JSON.parse(line)).toMatchObject({ err: { type: 'Error', message: 'refused [redacted]' }, note: 'key [redacted] used' });
  });

  it('writes of an error what it says, not what hangs on it', () => {
    const error = Object.assign(new Error('broken'), { code: '23505', parameters: [CANARY], query: CANARY, config: { data: CANARY } });
    const line = logged((logger) => logger.error(error));
    expect(line).not.toContain(CANARY);
    expect(JSON.parse(line)).toMatchObject({ err: { message: 'broken', code: '23505' } });
  });

  it('is one line per record whatever the text', () => {
    const line = logged((logger) => logger.info({ text: 'a\r\nb\u001b[31m' }, 'x'));
    expect(line.trimEnd().split('\n')).toHaveLength(1);
    expect(line).not.toContain('\u001b');
  });

  it('copes with depth, cycles and bytes', () => {
    const cycle: Record<string, unknown> = { bytes: Buffer.from(CANARY) };
    cycle['self'] = cycle;
    expect(JSON.stringify(redact(cycle))).not.toContain(CANARY);
  });
});
