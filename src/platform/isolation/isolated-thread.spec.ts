import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { HOST_PROGRAM } from './host-program.js';
import { IsolatedThread, type ThreadEnding, type ThreadLimits } from './isolated-thread.js';

const LIMITS = { heapMb: 64, residentMb: 200, processorMs: 1_000 };
/** Filling memory takes a busy machine seconds of processor time: more than the limit that a test of memory must not meet first. */
const UNLIMITED_MS = 600_000;

const fileOf = (program: string): URL => new URL(`data:text/javascript,${encodeURIComponent(program)}`);

/** A program that runs `body` for each task; it may use `task` and `answer(value)`. */
const programOf = (body: string): string => `
  import { parentPort } from 'node:worker_threads';
  const answer = (value) => parentPort.postMessage(value);
  parentPort.on('message', async (task) => { ${body} });`;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('an isolated thread', () => {
  const threads: IsolatedThread[] = [];
  afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.end())));

  /** Starts a thread, and waits for what it says next. */
  const start = (program: string, limits: ThreadLimits = LIMITS) => {
    const heard: { answer?: unknown; ending?: ThreadEnding }[] = [];
    let wake: (() => void) | null = null;
    const hear = (what: { answer?: unknown; ending?: ThreadEnding }): void => {
      heard.push(what);
      wake?.();
    };
    const thread = new IsolatedThread(fileOf(program), limits, { answered: (answer) => hear({ answer }), ended: (ending) => hear({ ending }) });
    threads.push(thread);
    const next = async () => {
      if (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return heard.shift();
    };
    return { thread, heard, next };
  };

  it('answers tasks with bytes in them, and sees neither environment nor arguments', async () => {
    const { thread, next } = start(programOf('answer({ twice: task.map((byte) => byte * 2), seen: [process.env, process.argv.length] });'));
    for (const bytes of [[1, 2, 3], [40, 50]]) {
      thread.post(Uint8Array.from(bytes));
      const heard = (await next()) as { answer: { twice: Uint8Array; seen: unknown } };
      expect([...heard.answer.twice]).toEqual(bytes.map((byte) => byte * 2));
      expect(heard.answer.seen).toEqual([{}, 1]);
    }
  });

  it.each([
    ['objects', 'new Array(1000).fill({})'],
    ['text', `Math.random().toString().repeat(1000).split('.')`],
    ['buffers, which are no objects of JavaScript', 'Buffer.alloc(1_000_000, 1)'],
    // V8 ends the process.
    ['one object that no longer fits', 'new Array(1e8).fill(0).map(() => ({}))'],
  ])('is killed when it eats memory with %s', async (_name, more) => {
    const { thread, next } = start(programOf(`const all = []; for (;;) all.push(${more});`), { ...LIMITS, processorMs: UNLIMITED_MS });
    thread.post('go');
    expect(await next()).toMatchObject({ ending: { limit: 'memory' } });
    await thread.end();
  });

  it('is killed when it computes for ever, but not for what earlier tasks took', async () => {
    const { thread, next } = start(
      programOf(`
        const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
        const until = used() + (task === 'go' ? Infinity : 450_000);
        while (used() < until);
        answer(task);`),
    );
    for (const task of ['one', 'two', 'three']) {
      thread.post(task);
      expect(await next()).toEqual({ answer: task });
    }
    thread.post('go');
    expect(await next()).toMatchObject({ ending: { limit: 'processor_time' } });
  });

  it.each([
    ['it throws at once', `throw new Error('no reader')`, /no reader/],
    ['it throws in a task', programOf(`throw new Error('bad task')`), /bad task/],
    ['it ends', programOf('process.exit(7)'), /ended with 7/],
    ['its process is killed from outside', programOf('process.kill(process.pid, "SIGKILL")'), /ended with SIGKILL/],
  ])('says why it is gone: %s', async (_name, program, reason) => {
    const { thread, next } = start(program);
    thread.post('go');
    expect(await next()).toEqual({ ending: { limit: null, reason: expect.stringMatching(reason) as string } });
  });

  it('says that the machine has no room for its process', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    try {
      const { thread, next } = start(programOf('answer(1)'));
      thread.post('go');
      expect(await next()).toEqual({ ending: { limit: 'machine', reason: expect.stringContaining('did not start') as string } });
      await thread.end();
    } finally {
      process.execPath = execPath;
    }
  });

  it('is gone once it was ended, even while it computes, and is not heard of again', async () => {
    const { thread, heard, next } = start(programOf('answer(process.pid); for (;;);'));
    thread.post('go');
    const { answer: pid } = (await next()) as { answer: number };
    expect(isRunning(pid)).toBe(true);
    await thread.end();
    expect(isRunning(pid)).toBe(false);
    thread.post('late');
    await thread.end();
    expect(heard).toEqual([]);
  });

  it('ends with the process that started it, and not by the signals of a terminal', async () => {
    const host = spawn(process.execPath, ['--eval', HOST_PROGRAM], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
    host.send({ file: fileOf(programOf('answer(task); if (task === "compute") for (;;);')).href, limits: LIMITS });
    host.send('ready');
    await once(host, 'message');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) host.kill(signal);
    host.send('compute');
    expect((await once(host, 'message'))[0]).toEqual({ answer: 'compute' });
    host.disconnect();
    expect(await once(host, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
