/**
 * A Redis-compatible server in JavaScript as a process of its own, for machines
 * without Redis: development and tests only, nothing is stored on disk.
 *
 * It closes two gaps of the library that Bull would fall into:
 * - BRPOPLPUSH, which Bull waits with, is expressed as BLMOVE right to left;
 * - a client that vanishes while it waits must not receive jobs any more.
 *
 * Usage: node redis-in-javascript.js PORT. Exits when its standard input ends.
 */
import { createServer } from 'node:net';
import {
  attachSession,
  createRedisCommandExecutor,
  defineCommand,
  redisCommandDefinitions,
  RedisServerState,
  SocketConnectionTransport,
  t,
  type CommandDefinition,
} from 'js-redis-server/core';

const DATABASES = 64;

function blockingPopAndPush(): CommandDefinition {
  const move = redisCommandDefinitions.find(({ name }) => name === 'blmove');
  if (move === undefined) throw new Error('js-redis-server no longer knows BLMOVE');
  const [right, left] = [Buffer.from('RIGHT'), Buffer.from('LEFT')];
  return defineCommand({
    ...move,
    name: 'brpoplpush',
    schema: t.custom((input, index, context) => {
      const [source, destination, timeout] = input.slice(index, index + 3);
      const given = [source, destination, right, left, timeout].filter((part) => part !== undefined);
      const parsed: { value: unknown } = move.schema.parse(given, 0, context);
      return { value: parsed.value, nextIndex: index + 3 };
    }),
  });
}

const state = new RedisServerState({ databaseCount: DATABASES });
const executor = createRedisCommandExecutor({ extraCommands: [blockingPopAndPush()] });

const server = createServer({ keepAlive: true, noDelay: true }, (socket) => {
  const { session } = attachSession(new SocketConnectionTransport(socket), {
    state,
    executor,
    clientAddress: `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`,
  });
  socket.once('close', () => session.close());
});

server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGTERM', () => process.exit(0));
