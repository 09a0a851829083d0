/**
 * `npm run bench:no-redis`: issuing while Redis is away. No bell rings: workers look for due work and begin with it
 * themselves, and rate limits are counted by each process. Options: `circumstance.ts`.
 */
import { benchUnder } from './circumstance.js';

await benchUnder({
  bench: 'no-redis',
  title: 'Issuing while Redis is away',
  during: 'without Redis',
  begin: (stack) => stack.takeRedisAway(),
});
