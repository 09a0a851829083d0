import { WITHOUT_SRI } from '../../support/bad-input.js';
import { type Stack, startStack } from '../../support/stack.js';
import { certificateCases } from './certificates.cases.js';
import { fiscalCases } from './fiscal.cases.js';
import { keyCases } from './keys-and-states.cases.js';
import { productCases } from './products.cases.js';

/** Over one stack, which takes longer to start than a table to run. */
describe('bad input against rules', () => {
  let stack: Stack;
  const running = (): Stack => stack;
  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: WITHOUT_SRI });
  });
  afterAll(() => stack.stop());

  fiscalCases(running);
  keyCases(running);
  certificateCases(running);
  productCases(running);
});
