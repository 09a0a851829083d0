import TestSequencer from '@jest/test-sequencer';

/** Those that take longest. Without a memory of earlier runs Jest goes by the size of the file, and these are small. */
const LONGEST = [
  'test/simulation/simulation.spec.ts',
  'test/simulation/postgres.spec.ts',
  'test/integration/oldest-postgres.spec.ts',
  'test/e2e/local.spec.ts',
  'test/e2e/crashes.spec.ts',
  'test/e2e/sri-answers.spec.ts',
  'test/e2e/document-mails.spec.ts',
  'test/kernel/preflight-properties.spec.ts',
  'test/kernel/documents-reference.spec.ts',
  'test/kernel/signature-verification.spec.ts',
  'test/e2e/redis-faults.spec.ts',
  'test/e2e/chaos.spec.ts',
  'test/e2e/crash-matrix.spec.ts',
];

/** Begins with the files that take longest, so that none of them is begun when all else is done. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((file) => path.endsWith(`/${file}`));
      return found === -1 ? LONGEST.length : found;
    };
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}
