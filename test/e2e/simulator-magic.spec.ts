import { setTimeout as sleep } from 'node:timers/promises';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { MAGIC_VALUES } from '../../src/simulator/brain/magic/values.js';
import { SRI_MESSAGES } from '../../src/simulator/brain/messages.js';
import { type Accepted, Business, simulatorAccount, type SimulatorAccount } from '../support/business.js';
import { issuerFields, requestOf } from '../support/example-requests.js';
import { type Stack, startStack } from '../support/stack.js';

type Document = Record<string, unknown> & { status: string };
interface Outcome {
  business: Business;
  emissionPoint: { emission_point_id?: string };
  id: string;
  document: Document;
  account: SimulatorAccount;
}

/** Values as they are written here, where the default would only take longer. */
const WRITTEN: Readonly<Record<string, string>> = { 'in-process': 'in-process:3', slow: 'slow:1', refuse: 'refuse:2001', 'slow-bytes': 'slow-bytes:200' };
/** Refusals that pause more than one emission point: they get a company of their own. */
const PAUSING: readonly string[] = ['2', '10', '27', '28', '34', '37', '56', '57', '63'];
const AT_ONCE = 12;

const magic = (value: string): Record<string, unknown> => ({ additional_info: [{ name: 'Simulador', value }] });

describe('magic values through the public API', () => {
  let stack: Stack;

  let company: Business;
  let emissionPoints = 1;

  const newEmissionPoint = (): Promise<string> => {
    emissionPoints += 1;
    return company.emissionPoint(String(emissionPoints).padStart(3, '0'));
  };

  beforeAll(async () => {
    stack = await startStack({ env: { SRI_TIMEOUT_SECONDS: '4', LEASE_SECONDS: '10', CANCELLATION_LADDER: '1', RECHECK_SECONDS: '10' } });
    company = await Business.open(stack);
  });
  afterAll(async () => {
    await stack.stop();
  });

  /** Issues one invoice at an emission point of its own, so that none waits for another. */
  const issued = async (value: string): Promise<Outcome> => {
    const own = PAUSING.includes(value);
    const business = own ? await Business.open(stack) : company;
    const emissionPoint = own ? {} : { emission_point_id: await newEmissionPoint() };
    const { document_id, access_key } = await business.accepted({ ...magic(value), ...emissionPoint });
    const document = await business.settled(document_id);
    return { business, emissionPoint, id: document_id, document, account: await simulatorAccount(stack, access_key) };
  };
  const until = async (business: Business, id: string, status: string): Promise<Document> => {
    const end = Date.now() + 60_000;
    while (Date.now() < end) {
      const document = await business.document(id);
      if (document.status === status) return document;
      await sleep(100);
    }
    throw new Error(`document ${id} did not become ${status}: ${(await business.document(id)).status}\n${stack.logs()}`);
  };
  const codesOf = (document: Document): unknown[] => (document['sri_messages'] as { identifier: string }[]).map(({ identifier }) => identifier);

  describe('every value of the table leads where its documentation says', () => {
    const outcomes = new Map<string, Outcome>();
    const waiting = MAGIC_VALUES.map(({ name }) => name);

    beforeAll(async () => {
      const queue = [...waiting];
      const take = async (): Promise<void> => {
        for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
          outcomes.set(name, await issued(WRITTEN[name] ?? name));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, take));
    }, 300_000);

    it.each(MAGIC_VALUES.map(({ name, leadsTo }) => [name, leadsTo]))('%s: %s', (name, leadsTo) => {
      const { document, account } = outcomes.get(name)!;
      const expected = /AUTHORIZATION_PENDING, then (\w+)/.exec(leadsTo)?.[1] ?? /^\w+/.exec(leadsTo)?.[0];
      expect(document.status).toBe(expected);
      expect(document['sequential']).toBe(1);
      expect(account.digests).toHaveLength(1);
      expect(account.authorized).toBe(expected === 'AUTHORIZED' || ['tampered', 'false-refusal'].includes(name) ? 1 : 0);
      if (leadsTo.includes('the document sent once')) expect(account.submissions).toBe(1);
      if (leadsTo.includes('sent again')) expect(account.submissions).toBe(2);
      if (leadsTo.includes('asked again')) expect(account.entries.filter(({ service }) => service === 'authorization').length).toBeGreaterThan(1);
      if (leadsTo.includes('with the warning')) expect(codesOf(document)).toContain(name);
      if (leadsTo === 'REJECTED' && SRI_MESSAGES[name]) expect(codesOf(document)[0]).toBe(name);
    });

    it('a false refusal is found out when the document is compared again', async () => {
      const { business, id } = outcomes.get('false-refusal')!;
      expect(await until(business, id, 'AUTHORIZED')).toMatchObject({ error: null, sequential: 1 });
    });
  });

  it('50 three times: the same bytes four times', async () => {
    const { document, account } = await issued('50x3');
    expect([document.status, account.submissions, account.digests.length]).toEqual(['AUTHORIZED', 4, 1]);
  });

  it.each(['html-503@authorization', 'timeout-before@authorization', 'malformed:soap_fault@authorization', 'reset-after@authorization'])('%s: asked again', async (value) => {
    const { document, account } = await issued(value);
    expect([document.status, account.submissions]).toEqual(['AUTHORIZED', 1]);
  });

  it('several together: a time-out after acceptance, then hours of EN PROCESO shortened', async () => {
    const { document, account } = await issued('timeout-after, in-process:4');
    expect([document.status, account.submissions]).toEqual(['AUTHORIZED', 1]);
  });

  it('a value that does not exist is refused, and the message names it', async () => {
    const { document } = await issued('boom');
    expect(document.status).toBe('REJECTED');
    expect((document['sri_messages'] as unknown[])[0]).toMatchObject({ identifier: '35', additional_info: expect.stringContaining('"boom"') });
  });

  it('a correction without the field passes under the same number', async () => {
    const { business, emissionPoint, id, document } = await issued('52');
    const answer = await business.call('POST', `/documents/${id}/correct`, business.invoice(emissionPoint));
    expect(answer.status).toBe(202);
    expect(await business.settled(id)).toMatchObject({ status: 'AUTHORIZED', sequential: 1, access_key: document['access_key'] });
  });

  it.each(documentTypes.map((type) => [type.code, type] as const))('%s carries the field to the SRI', async (_code, { examples }) => {
    const example = examples[0]!;
    const isPerson = Number(example.issuer.ruc[2]) < 6;
    const business = await Business.open(stack, { issuer: issuerFields(example.issuer), ...(isPerson ? { ruc: example.issuer.ruc } : {}) });
    const answer = await business.call<Accepted>('POST', '/documents', {
      ...requestOf(example, guayaquilDay(new Date())), ...magic('52'),
      issuer_id: business.issuerId, establishment_id: business.establishmentId, emission_point_id: business.emissionPointId,
    });
    expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
    const document = await business.settled(answer.body.document_id);
    expect([document.status, codesOf(document)[0]]).toEqual(['REJECTED', '52']);
  });

  describe('annulment', () => {
    it.each(['annul', '43, annul:2'])('%s: a requested cancellation is seen to be done', async (value) => {
      const { business, id } = await issued(value);
      expect((await business.call('POST', `/documents/${id}/cancel`, { reason: 'the order was withdrawn' })).status).toBe(202);
      await until(business, id, 'CANCELLED');
    });

    it('99: the consultation tells nothing, and nothing is concluded', async () => {
      const { business, id, document } = await issued('99');
      expect((await business.call('POST', `/documents/${id}/cancel`, { reason: 'the order was withdrawn' })).status).toBe(202);
      const asked = async (): Promise<number> =>
        (await simulatorAccount(stack, document['access_key'] as string)).entries.filter(({ service }) => service === 'consultation').length;
      const end = Date.now() + 60_000;
      while ((await asked()) < 2 && Date.now() < end) await sleep(200);
      expect(await asked()).toBeGreaterThan(1);
      expect((await business.document(id)).status).toBe('CANCELLATION_REQUESTED');
    });
  });
});
