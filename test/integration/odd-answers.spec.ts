import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Decision, DocumentState, SagaPolicy } from '../../src/modules/documents/domain/document.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { AuthorizeStep } from '../../src/modules/documents/saga/authorize.step.js';
import type { SagaStep } from '../../src/modules/documents/saga/step.js';
import { SubmitStep } from '../../src/modules/documents/saga/submit.step.js';
import { Transmission } from '../../src/modules/documents/saga/transmission.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { KillPoints } from '../../src/platform/faults/kill-points.js';
import { documentDigest } from '../../src/sri/document-digest.js';
import { AuthorizationClient } from '../../src/sri/soap/authorization.js';
import { ReceptionClient } from '../../src/sri/soap/reception.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const DAY_MS = 86_400_000;
const LEASE_MS = 60_000;
const POLICY: SagaPolicy = {
  receptionLadderMs: [1_000], authorizationLadderMs: [1_000], unansweredWaitMs: 1_000, answerDeadlineMs: DAY_MS, maxReceptionAttempts: 5,
  recheckEveryMs: DAY_MS, recheckForMs: 30 * DAY_MS, cancellationLadderMs: [1_000],
};
const XML = '<a>hola</a>';
/** Nothing of it may be text in PostgreSQL as it stands here, or fits into what is narrower than text. */
const ODD = ['&#0;', '\u0000', '\u0001', '&#xD800;', '&#xDFFF;', '\uffff', '&#xFFFE;', '\\u0000', '\u{1f600}', "'; --", '9'.repeat(300_000)].join('');
const DATES = [
  ['the last year', '9999-12-31T23:59:59-05:00'], ['the year 0', '0000-01-01T00:00:00-05:00'], ['the year 1', '0001-01-01T00:00:00'],
  ['no day', '0000-00-00T00:00:00'], ['no date', ODD],
];

const envelope = (operation: string, content: string): string =>
  '<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
  `<ns2:${operation}Response xmlns:ns2="http://ec.gob.sri.ws.${operation === 'validarComprobante' ? 'recepcion' : 'autorizacion'}">${content}</ns2:${operation}Response></soap:Body></soap:Envelope>`;
const message = (code: string): string =>
  `<mensaje><identificador>${code}</identificador><mensaje>${ODD}</mensaje><informacionAdicional>${ODD}</informacionAdicional><tipo>${ODD}</tipo></mensaje>`;

/** A value that PostgreSQL refuses would have every worker that is told it fail, and the document with them. */
describe('whatever the SRI says of a document can be written', () => {
  let database: TestDatabase;
  let service: DataSource;
  let documents: DocumentsRepository;
  let body: (accessKey: string) => string;
  let authorize: SagaStep;
  let submit: SagaStep;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 4);
    documents = new DocumentsRepository(new TenantTransaction(service), new RandomIds());
    const clock = { now: () => new Date() };
    const killPoints = new KillPoints({ FAULTS: '' } as never, {} as never);
    const calls = { acquire: () => Promise.resolve({ kind: 'go', report: () => undefined, release: () => undefined }) } as never;
    const answer = (text: string) => ({ post: () => Promise.resolve({ status: 200, contentType: 'text/xml', body: text }) });
    const reception = { submit: (xml: Buffer, accessKey: string) => new ReceptionClient(answer(body(accessKey)), 'http://sri/').submit(xml, accessKey) };
    const authorization = { query: (accessKey: string) => new AuthorizationClient(answer(body(accessKey)), 'http://sri/').query(accessKey) };
    const transmission = new Transmission(documents, reception as never, { nudge: () => undefined } as never, killPoints, clock, new RandomIds(), POLICY);
    submit = new SubmitStep(documents, transmission, calls, clock);
    authorize = new AuthorizeStep(documents, authorization as never, calls, killPoints, clock, new RandomIds(), POLICY, { LEASE_SECONDS: LEASE_MS / 1_000 });
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  interface Written {
    readonly status: string;
    readonly authorization_date: Date | null;
    readonly pauses: number;
  }

  /** Of a tenant of its own: what is paused holds nobody else up. */
  async function told(step: SagaStep, says: (accessKey: string) => string): Promise<Written> {
    body = says;
    const seed = await seedTenant(database);
    const { response: { document_id: id } } = await issueBySql(service, seed);
    const at = new Date();
    const advance = async (decision: Decision, records = {}): Promise<unknown> => documents.advance(await stateOf(seed, id), decision, null, at, records);
    await advance(
      { moves: [{ trigger: 'xml_built' }, { trigger: 'signed' }, { trigger: 'queued' }], patch: { signingNo: 1 }, work: { step: 'submit', dueAt: at } },
      { signing: { signingNo: 1, certificateId: seed.certificateId, digest: documentDigest(XML), xml: Buffer.from(XML) } },
    );
    if (step === authorize) {
      await advance({ moves: [{ trigger: 'sending' }], patch: { firstSentAt: at }, work: { step: 'authorize', dueAt: at, unsent: false } }, { attempt: { id: randomUUID(), service: 'reception', signingNo: 1 } });
      await advance({ moves: [{ trigger: 'received' }, { trigger: 'awaiting' }], patch: { receivedAt: at, deadlineAt: new Date(at.getTime() + DAY_MS) }, work: { step: 'authorize', dueAt: at, unsent: false } });
    }
    const token = randomUUID();
    const taken = await documents.take(seed.tenantId, id, token, new Date(), LEASE_MS);
    await step.run({ loaded: taken!.loaded, token, clearUntil: null });
    const [row] = await database.query<Written>(
      'select status, authorization_date, (select count(*) from issuing_pauses p where p.tenant_id = d.tenant_id)::integer as pauses from documents d where id = $1', [id],
    );
    return row!;
  }

  const stateOf = async (seed: SeededTenant, id: string): Promise<DocumentState> => (await documents.load(seed.tenantId, id))!.state;

  const listed = (accessKey: string, entry: string): string =>
    envelope('autorizacionComprobante', `<RespuestaAutorizacionComprobante><claveAccesoConsultada>${accessKey}</claveAccesoConsultada><numeroComprobantes>${ODD}</numeroComprobantes>` +
      `<autorizaciones><autorizacion>${entry}</autorizacion></autorizaciones></RespuestaAutorizacionComprobante>`);
  const decided = (estado: string, date: string, codes: readonly string[]) => (accessKey: string): string =>
    listed(accessKey, `<estado>${estado}</estado><numeroAutorizacion>${accessKey}</numeroAutorizacion><fechaAutorizacion>${date}</fechaAutorizacion>` +
      `<ambiente>${ODD}</ambiente><comprobante><![CDATA[${XML}]]></comprobante><mensajes>${codes.map(message).join('')}</mensajes>`);

  it.each(DATES)('an authorization of %s', async (_name, date) => {
    expect(await told(authorize, decided('AUTORIZADO', date, ['60', ODD]))).toEqual({ status: 'AUTHORIZED', authorization_date: null, pauses: 0 });
  });

  it.each(DATES)('a refusal of %s that pauses', async (_name, date) => {
    expect(await told(authorize, decided('NO AUTORIZADO', date, [`${'0'.repeat(5_000)}57`, ODD]))).toEqual({ status: 'REJECTED', authorization_date: null, pauses: 1 });
  });

  it('an authorization of a day of ours', async () => {
    expect(await told(authorize, decided('AUTORIZADO', '2026-05-01T10:00:00-05:00', []))).toMatchObject({ status: 'AUTHORIZED', authorization_date: new Date('2026-05-01T15:00:00Z') });
  });

  it('a state that nobody knows, and an answer to another question', async () => {
    expect(await told(authorize, decided(ODD, ODD, [ODD]))).toMatchObject({ status: 'AUTHORIZATION_RETRY_SCHEDULED' });
    expect(await told(authorize, () => listed('1'.repeat(49), ODD))).toMatchObject({ status: 'AUTHORIZATION_RETRY_SCHEDULED' });
  });

  it.each([['RECIBIDA', 'AUTHORIZATION_PENDING'], ['DEVUELTA', 'REJECTED'], ['a word that nobody knows', 'RECEPTION_UNKNOWN', ODD]])('what reception says beside %s', async (name, status, estado = name) => {
    const says = (accessKey: string): string =>
      envelope('validarComprobante', `<RespuestaRecepcionComprobante><estado>${estado}</estado><comprobantes><comprobante><claveAcceso>${accessKey}</claveAcceso><mensajes>${message('35')}${message(ODD)}</mensajes></comprobante></comprobantes></RespuestaRecepcionComprobante>`);
    expect(await told(submit, says)).toMatchObject({ status });
  });
});
