import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import { Business } from '../support/business.js';
import { businessCertificate } from '../support/business-certificate.js';
import { FailingGateway } from '../support/failing-gateway.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

const execute = promisify(execFile);

/** The examples of docs/quick-start.md, run as a reader would run them. */
describe('the examples of the documentation', () => {
  let stack: RunningStack;
  let business: Business;
  let folder: string;

  beforeAll(async () => {
    stack = await sharedStack();
    business = await Business.open(stack);
    folder = mkdtempSync(join(tmpdir(), 'sello-docs-'));
    const { code } = await transform(readFileSync('docs/examples/issue-invoice.ts', 'utf8'), { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } });
    writeFileSync(join(folder, 'issue-invoice.mjs'), code);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stack.stop();
  });

  /** A script as it stands, or a program that was translated for this version of Node. */
  const fileOf = (name: string): string => (name.endsWith('.sh') ? join(import.meta.dirname, '../../docs/examples', name) : join(folder, name));
  const run = async (program: string, file: string, env: Record<string, string>, words: readonly string[] = []): Promise<string> => {
    const { stdout, stderr } = await execute(program, [file, ...words], { cwd: folder, env: { PATH: process.env['PATH'], SELLO_URL: stack.apiUrl, ...env }, timeout: 100_000 });
    expect(stderr).toBe('');
    return stdout;
  };
  const shell = (name: string, env: Record<string, string>): Promise<string> => run('bash', fileOf(name), env);
  /** What the last line of an output sets. */
  const variables = (output: string, between = ' '): Record<string, string> =>
    Object.fromEntries(output.trim().split('\n').at(-1)?.split(between).map((pair) => pair.split('=')) ?? []) as Record<string, string>;
  const ours = () => ({
    SELLO_API_KEY: business.apiKey, ISSUER_ID: business.issuerId, ESTABLISHMENT_ID: business.establishmentId, EMISSION_POINT_ID: business.emissionPointId,
  });

  it('issue the first invoice in a shell, with XML and PDF', async () => {
    expect((await shell('first-invoice.sh', ours())).trim().split('\n').at(-1)).toBe('AUTHORIZED');
    expect(readFileSync(join(folder, 'invoice.xml'), 'utf8')).toContain('<estado>AUTORIZADO</estado>');
    expect(readFileSync(join(folder, 'invoice.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('issue an invoice in TypeScript', async () => {
    expect(await run(process.execPath, fileOf('issue-invoice.mjs'), ours())).toMatch(/^AUTHORIZED \d{49}\n$/);
  });

  it.each([
    ['first-invoice.sh', 'bash'],
    ['issue-invoice.mjs', process.execPath],
  ])('ends with what is to be mended, when the call is refused: %s', async (name, program) => {
    await expect(run(program, fileOf(name), { ...ours(), ISSUER_ID: 'none' })).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/VALIDATION_FAILED.*"issuer_id"/s) as string });
  });

  it.each([
    ['first-invoice.sh', 'bash', /^AUTHORIZED$/m],
    ['issue-invoice.mjs', process.execPath, /^AUTHORIZED \d{49}$/m],
  ])('make one invoice for an order whose calls get no whole answer: %s', async (name, program, authorized) => {
    const documents = async (): Promise<unknown[]> => stack.database.query('select id from documents where tenant_id = $1', [business.tenantId]);
    const before = (await documents()).length;
    const gateway = await FailingGateway.before(stack.apiUrl);
    try {
      gateway.fail('POST /documents', 502, 'half', 503);
      gateway.fail('GET /documents/', 502);
      const issued = (): Promise<string> => run(program, fileOf(name), { ...ours(), SELLO_URL: gateway.url }, [`gateway-${name}`]);
      expect(await issued()).toMatch(authorized);
      expect(gateway.calls.filter((call) => call === 'POST /documents')).toHaveLength(4);
      expect(await issued()).toMatch(authorized);
      expect(await documents()).toHaveLength(before + 1);
    } finally {
      gateway.stop();
    }
  });

  it.each([
    ['first-invoice.sh', 'bash', /^AUTHORIZED$/m],
    ['issue-invoice.mjs', process.execPath, /^AUTHORIZED \d{49}$/m],
  ])('end with what a person has to do, where the issuer is paused, and go on afterwards: %s', async (name, program, authorized) => {
    const { document_id } = await business.accepted();
    const [pause] = await stack.database.query<{ id: string }>(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at)
       select tenant_id, gen_random_uuid(), 'issuer', issuer_id, '57', id, now() from documents where id = $1 returning id`, [document_id]);
    const issued = (): Promise<string> => run(program, fileOf(name), ours(), [`paused-${name}`]);
    await expect(issued()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/RECEPTION_PENDING: .*[Rr]eanude/) as string });
    expect((await business.call('POST', `/issuers/${business.issuerId}/pauses/${pause!.id}/resume`)).status).toBe(200);
    expect(await issued()).toMatch(authorized);
  });

  it('set a new business up, whose key then issues', async () => {
    const cli = join(import.meta.dirname, '../../dist/src/cli.js');
    const lines = `eval "$('${cli}' test-certificate "de Ana's.p12")" && echo "RUC=$RUC|P12=$P12|P12_PASSWORD=$P12_PASSWORD"`;
    const { stdout } = await execute('sh', ['-c', lines], { cwd: folder, env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` } });
    const certificate = variables(stdout, '|');
    expect(certificate['P12']).toBe("de Ana's.p12");
    const told = await shell('new-business.sh', { EMAIL: 'ana.docs@example.com', PASSWORD: 'cuatro palabras al azar', ...certificate });
    expect(told).toMatch(/^active\nSELLO_API_KEY=svc_test_\S+ ISSUER_ID=\S{36} ESTABLISHMENT_ID=\S{36} EMISSION_POINT_ID=\S{36}\n$/);
    expect((await shell('first-invoice.sh', variables(told))).trim().split('\n').at(-1)).toBe('AUTHORIZED');

    const refused = async (env: Record<string, string>, why: RegExp): Promise<void> =>
      expect(shell('new-business.sh', { EMAIL: 'ana.docs@example.com', PASSWORD: 'cuatro palabras al azar', ...certificate, ...env }))
        .rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(why) as string });
    await refused({}, /"code":"ALREADY_EXISTS"/);
    await refused({ EMAIL: 'bruno.docs@example.com', RUC: '1790012345009' }, /"code":"INVALID_RUC"/);
    await refused({ EMAIL: 'carla.docs@example.com', P12_PASSWORD: 'another' }, /"reason":"wrong_password"/);
    await refused({ RUC: '' }, /^RUC is not set\n$/);
    await refused({ P12: 'none.p12' }, /^P12: none\.p12 cannot be read\n$/);
  });

  it.each([['diana', 'clave; "type"=\\b'], ['elena', '@clave'], ['flor', '<clave']])('set a new business of %s up, whatever signs its passwords hold: %s', async (name, sign) => {
    const [ruc, password] = [business.ruc, `${sign} de cuatro palabras`];
    writeFileSync(join(folder, `${name}.p12`), businessCertificate(ruc, password));
    // A stranger proves no RUC that another issuer signs for: the file was opened.
    await expect(shell('new-business.sh', { EMAIL: `${name}.docs@example.com`, PASSWORD: password, RUC: ruc, P12: `${name}.p12`, P12_PASSWORD: password }))
      .rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('verified_by_another_issuer') as string });
  });
});
