import { WITHOUT_SRI } from '../../support/bad-input.js';
import { type Stack, startStack } from '../../support/stack.js';
import { buyerCases } from './buyers.cases.js';
import { dayCases } from './dates.cases.js';
import { identifierCases } from './identifiers.cases.js';
import { numberCases } from './numbers.cases.js';
import { textCases } from './text.cases.js';
import { OURS, webhookCases } from './webhooks.cases.js';

/** Over one stack, which takes longer to start than a table to run. */
describe('bad input in fields', () => {
  let stack: Stack;
  const running = (): Stack => stack;
  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: { ...WITHOUT_SRI, WEBHOOK_TARGETS: 'public', ...OURS } });
  });
  afterAll(() => stack.stop());

  identifierCases(running);
  numberCases(running);
  dayCases(running);
  textCases(running);
  buyerCases(running);
  webhookCases(running);
});
