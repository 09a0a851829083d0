import 'reflect-metadata';
import { TimerSleeper } from '../adapters/timer-sleeper.js';
import { documentType } from '../../sri/document-types/registry.js';
import { type PrintedDocument, RidePrinter, type RideThread } from './ride-printer.js';

const example = documentType('01')?.examples[0];
if (example === undefined) throw new Error('no example');
const DOCUMENT: PrintedDocument = { ...example, authorization: null, status: 'pending' };
const LOGO = Buffer.from('logo');

/** A fifth of the time that a document has, and less memory. */
const LIMITS = { heapMb: 64, residentMb: 200, processorMs: 2_000 };

/** What the thread does with a task; it may use `task`, `answer(text)`, and `tasks`, the number of tasks so far. */
const THREAD = (body: string): RideThread => ({
  file: new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      let tasks = 0;
      const answer = (text) => parentPort.postMessage({ kind: 'printed', bytes: new TextEncoder().encode(text), logoProblem: null });
      parentPort.on('message', async (task) => { tasks += 1; ${body} });`)}`,
  ),
  limits: LIMITS,
});

describe('the printer', () => {
  const printers: RidePrinter[] = [];
  const printerOf = (body: string, sleeper = new TimerSleeper(), mails = 4): RidePrinter => {
    const printer = new RidePrinter(sleeper, { MAIL_CONCURRENCY: mails }, THREAD(body));
    printers.push(printer);
    return printer;
  };
  const text = async (printer: RidePrinter, logo: Buffer | null = null, tenantId = 'tenant'): Promise<[string, string | null]> => {
    const { bytes, logoProblem } = await printer.print(tenantId, DOCUMENT, logo);
    return [bytes.toString(), logoProblem];
  };
  afterEach(() => Promise.all(printers.splice(0).map((printer) => printer.onApplicationShutdown())));

  it('prints one document after the other in one thread, which sees no environment', async () => {
    const printer = printerOf(
      `const mine = tasks; await new Promise((go) => setTimeout(go, 30)); answer(task.document.content.documentType + mine + tasks + Object.keys(process.env).length);`,
    );
    const all = await Promise.all([text(printer), text(printer), text(printer)]);
    expect(all.map(([shown]) => shown)).toEqual(['01110', '01220', '01330']);
  });

  it('has room for all the mails that a worker writes at once, of one tenant, and for a page of documents where those are fewer', async () => {
    const printed = async (mails: number): Promise<number> => {
      const printer = printerOf(`answer('x');`, new TimerSleeper(), mails);
      const all = await Promise.allSettled(Array.from({ length: 100 }, () => text(printer)));
      return all.filter(({ status }) => status === 'fulfilled').length;
    };
    expect([await printed(100), await printed(40), await printed(4)]).toEqual([100, 41, 25]);
  });

  it('leaves this thread free while it computes', async () => {
    const printer = printerOf(`const until = Date.now() + 1_000; while (Date.now() < until); answer('x');`);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 10);
    await text(printer);
    clearInterval(timer);
    // One tick would come of a thread that was held up, too.
    expect(ticks).toBeGreaterThan(10);
  });

  it.each([
    ['a thread that refuses', `if (task.logo) parentPort.postMessage({ kind: 'failed', reason: 'x' }); else answer('bare');`],
    ['a thread that dies later', `if (task.logo) setTimeout(() => { throw new Error('decoder'); }, 5); else answer('bare');`],
    ['a thread that ends', `if (task.logo) process.exit(7); else answer('bare');`],
    ['a thread that eats memory', `if (task.logo) { const all = []; for (;;) all.push(new Array(1000).fill({})); } else answer('bare');`],
  ])('prints without a logo that costs %s', async (_name, body) => {
    const printer = printerOf(body);
    expect(await text(printer, LOGO)).toEqual(['bare', 'unprintable']);
    expect(await text(printer)).toEqual(['bare', null]);
  });

  it.each([
    ['computes', 'for (;;);'],
    ['does nothing', 'return;'],
  ])('ends a thread that %s for ever, and goes on with another', async (_name, body) => {
    let longest = 0;
    // The patience of the first attempt is short.
    const impatient = { sleep: (ms: number, signal?: AbortSignal): Promise<void> => new TimerSleeper().sleep(ms === 60_000 && (longest += 1) === 1 ? 300 : ms, signal) };
    const printer = printerOf(`if (task.logo) ${body} answer('on');`, impatient);
    expect(await text(printer, LOGO)).toEqual(['on', 'unprintable']);
  });

  const tooCostly = { code: 'SERVICE_UNAVAILABLE', detail: { reason: 'printing_too_costly' } };

  // The thread that answers the next task is another one when the first was ended.
  it('does not draw a document again whose time ran out, and goes on with another thread', async () => {
    const printer = printerOf(`if (task.logo) for (;;); answer('task ' + tasks);`);
    await expect(printer.print('tenant', DOCUMENT, LOGO)).rejects.toMatchObject(tooCostly);
    expect(await text(printer)).toEqual(['task 1', null]);
  });

  it('says of a document that takes too much memory that it costs too much, with its logo and without', async () => {
    const printer = printerOf(`if (task.document.status === 'draft') { const all = []; for (;;) all.push(new Array(1000).fill({})); } answer('next');`);
    for (const logo of [LOGO, null]) await expect(printer.print('tenant', { ...DOCUMENT, status: 'draft' }, logo)).rejects.toMatchObject(tooCostly);
    expect(await text(printer)).toEqual(['next', null]);
  });

  it('waits for nothing any more, and starts nothing, once its process stops', async () => {
    const printer = printerOf('return;');
    const waiting = printer.print('tenant', DOCUMENT, LOGO);
    await new Promise((go) => setTimeout(go, 100));
    const refused = { code: 'SERVICE_UNAVAILABLE', detail: { reason: 'printing_busy' } };
    await Promise.all([printer.onApplicationShutdown(), expect(waiting).rejects.toMatchObject(refused)]);
    await expect(printer.print('tenant', DOCUMENT, null)).rejects.toMatchObject(refused);
  });

  it('asks to come again where the machine has no room for its process', async () => {
    const { execPath } = process;
    const printer = printerOf(`answer('x');`);
    process.execPath = '/nowhere/node';
    try {
      await expect(printer.print('tenant', DOCUMENT, LOGO)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail: { reason: 'machine_busy' } });
    } finally {
      process.execPath = execPath;
    }
    expect(await text(printer)).toEqual(['x', null]);
  });

  it('says why a document cannot be drawn, and draws the next one', async () => {
    const printer = printerOf(`if (tasks === 1) parentPort.postMessage({ kind: 'failed', reason: 'no ink' }); else answer('next');`);
    await expect(printer.print('tenant', DOCUMENT, null)).rejects.toThrow('the document could not be drawn: no ink');
    expect(await text(printer)).toEqual(['next', null]);
  });

  it('lets few documents wait', async () => {
    const printer = printerOf(`setTimeout(() => answer('x'), 2);`);
    const refusals = async (asked: Promise<unknown>[]): Promise<unknown[]> =>
      (await Promise.allSettled(asked)).filter((result) => result.status === 'rejected').map(({ reason }) => (reason as { code: string }).code);
    expect(await refusals(Array.from({ length: 70 }, (_, n) => text(printer, null, `tenant ${n % 5}`)))).toEqual(Array(5).fill('SERVICE_UNAVAILABLE'));
    expect(await refusals(Array.from({ length: 30 }, () => text(printer)))).toEqual(Array(5).fill('SERVICE_UNAVAILABLE'));
    expect(await text(printer)).toEqual(['x', null]);
  });
});
