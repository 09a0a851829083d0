import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** Time, identity and chance come through ports; only adapters, and the programs around the service, may read the host's. */
const IMPURE = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the time from the Clock port.' },
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: 'Take the time from the Clock port.' },
  { selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']", message: 'Take chance from the Chance port.' },
  { selector: "CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate)$/]", message: 'Wait through the Sleeper port.' },
  { selector: "CallExpression[callee.name='randomUUID'], CallExpression[callee.property.name='randomUUID']", message: 'Take ids from the Ids port.' },
  { selector: "MemberExpression[object.name='process'][property.name='env']", message: 'The service reads the environment in src/config only.' },
];

/** Something of every use stays in the longest-lived of its signals (Node 20), in these processes for good. */
const LEAKING = [{ selector: "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any']", message: 'Keep a set of controllers and abort each: a listener on a lasting signal is easily left there.' }];

/** Words in unions and tables that are `as const` say the same, and need none of the rules about enums. */
const ENUMS = [{ selector: 'TSEnumDeclaration', message: 'Take a union of words, or a table that is `as const`.' }];

/** SHA-1 is what the SRI demands of signatures, and belongs nowhere else. */
const WEAK = [{ selector: "CallExpression[callee.name=/^(hash|sign|verify|createHash|createSign|createVerify|createHmac)$/] > Literal[value=/sha-?1$|md5/i]", message: 'Use SHA-256.' }];
const SIGNATURES = ['src/sri/signing/**'];

const ADAPTERS = [
  'src/platform/adapters/**',
  'src/platform/embedded/**',
  'src/local/**',
  'src/local.ts',
  'src/simulator/http/**',
  'src/simulator/main.ts',
  'src/identity-provider/main.ts',
];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'docs/**', '.sello/**', '.ci/**', '*.cjs', '*.js', '*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // Response shapes are classes for OpenAPI's sake; plain objects of that shape are what we answer.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // There are no enums (ENUMS), and looking for them takes a quarter of all linting.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      'no-restricted-syntax': ['error', ...IMPURE, ...LEAKING, ...ENUMS, ...WEAK],
      'no-restricted-globals': ['error', { name: 'fetch', message: "Take undici's: under Node 20 nobody gives up an answer of the global one that falls silent in its middle." }],
      'max-lines': ['error', { max: 350, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
    },
  },
  // What comes from outside meets these expressions: none may need more than linear time.
  {
    files: ['src/**'],
    ignores: ['**/*.spec.ts'],
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
  { files: ADAPTERS, rules: { 'no-restricted-syntax': ['error', ...LEAKING, ...ENUMS, ...WEAK] } },
  { files: SIGNATURES, rules: { 'no-restricted-syntax': ['error', ...IMPURE, ...LEAKING, ...ENUMS] } },
  { files: ['src/config/**'], rules: { 'no-restricted-syntax': ['error', ...IMPURE.slice(0, 5), ...LEAKING, ...ENUMS, ...WEAK] } },
  {
    files: ['test/**', 'bench/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...ENUMS],
      'no-restricted-globals': 'off',
      'max-lines': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
