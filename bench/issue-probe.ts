/**
 * Preloaded (`node --import`) into the processes under measurement: answers on
 * a Unix socket how late the event loop ran, how much processor time and memory
 * the process took since it was last asked, and takes a CPU profile or a heap
 * snapshot when told.
 * Costs nothing while nobody asks but the event loop's own timer.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** What one process did since the last reading. */
export interface ProbeReading {
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

const RESOLUTION_MS = 5;

function serve(socket: string): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let cpu = process.cpuUsage();
  let profiler: Session | null = null;
  let snapshots = 0;

  const read = (): ProbeReading => {
    const used = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const memory = process.memoryUsage();
    // The histogram holds the whole interval of its timer; only what exceeds it is delay.
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const reading = {
      loopDelayP99Ms: late(delay.percentile(99)),
      loopDelayMaxMs: late(delay.max),
      cpuMs: (used.user + used.system) / 1000,
      rssBytes: memory.rss,
      heapBytes: memory.heapUsed,
    };
    delay.reset();
    return reading;
  };

  const answer = async (path: string): Promise<unknown> => {
    switch (path) {
      case '/read':
        return read();
      case '/collect':
        // Made known here: the processes run without the flag.
        setFlagsFromString('--expose-gc');
        (runInNewContext('gc') as () => void)();
        return read();
      case '/profile/start':
        profiler = new Session();
        profiler.connect();
        await profiler.post('Profiler.enable');
        await profiler.post('Profiler.start');
        return {};
      case '/profile/stop': {
        if (profiler === null) throw new Error('no profile was started');
        const { profile } = await profiler.post('Profiler.stop');
        profiler.disconnect();
        const file = `${socket.replace(/\.sock$/, '')}.cpuprofile`;
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, JSON.stringify(profile));
        return { file };
      }
      case '/snapshot':
        return { file: writeHeapSnapshot(`${socket.replace(/\.sock$/, '')}-${++snapshots}.heapsnapshot`) };
      default:
        throw new Error(`the probe does not know ${path}`);
    }
  };

  createServer((request, response) => {
    answer(request.url ?? '').then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end((error as Error).message),
    );
  })
    .listen(socket)
    .unref();
}

const socket = process.env['BENCH_PROBE_SOCKET'];
if (isMainThread && socket !== undefined) serve(socket);
