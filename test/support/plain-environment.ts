import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment with a global object as quick as any program's. Jest puts a proxy behind it, so that each look at
 * `Object`, `String` or another global leaves the compiled code, in every library too: several times the cost of code
 * that looks often, as XPath does. All else, a context of its own for each file included, is as Jest has it.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    // Jest asks for its context nowhere else, and knows no option for this.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
  }
}
