/**
 * `npm run check`: every check of the sources, two at a time, for each keeps one core busy. Tells all that is wrong, not
 * only the first thing; a check's own words are shown when it ends.
 */
import { spawn } from 'node:child_process';

/** Longest first; the description of the interface is read from the documents that `check:docs` has found current. */
const CHECKS = [['check:lint'], ['check:types'], ['check:docs', 'check:openapi'], ['check:boundaries']];
const AT_ONCE = 2;

const failed = [];
const waiting = [...CHECKS];

function run(name) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      process.stdout.write(`--- ${name}: ${code === 0 ? 'good' : 'FAILED'} after ${seconds} s\n${output}`);
      if (code !== 0) failed.push(name);
      resolve(code === 0);
    });
  });
}

async function lane() {
  for (let checks = waiting.shift(); checks !== undefined; checks = waiting.shift()) {
    for (const name of checks) if (!(await run(name))) break;
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, lane));
if (failed.length > 0) {
  process.stdout.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
