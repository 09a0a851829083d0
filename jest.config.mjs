const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
        target: 'es2022',
      },
      module: { type: 'es6' },
      sourceMaps: 'inline',
    },
  ],
};

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/plain-environment.ts',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform,
};

export default {
  // Much of what the tests do is wait.
  maxWorkers: 5,
  testSequencer: '<rootDir>/.ci/longest-first.mjs',
  // Only ends what hangs: a machine may be busy, or slow.
  testTimeout: 300_000,
  projects: [
    { ...shared, displayName: 'unit', testRegex: '\\.spec\\.ts$', roots: ['<rootDir>/src', '<rootDir>/test/kernel'] },
    {
      ...shared,
      displayName: 'system',
      testRegex: '\\.spec\\.ts$',
      roots: ['<rootDir>/test/integration', '<rootDir>/test/e2e', '<rootDir>/test/contract', '<rootDir>/test/simulation'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
};
