// Holds docs/openapi.json against the rules of OpenAPI 3.1 and of good descriptions; says where it breaks which.
import { createConfig, lint } from '@redocly/openapi-core';

const file = 'docs/openapi.json';
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    'info-license': 'off',
    // Callers of several addresses read one description: it names the one it comes from.
    'no-empty-servers': 'error',
    'operation-operationId': 'error',
    'operation-4xx-response': 'off',
    'tag-description': 'error',
    'tags-alphabetical': 'off',
    'operation-tag-defined': 'error',
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'parameter-description': 'off',
    // Signing in at Google sends the browser elsewhere.
    'operation-2xx-response': 'off',
  },
});
const problems = await lint({ ref: file, config });
for (const { ruleId, message, location } of problems) console.error(`${file}${location[0]?.pointer ?? ''}: ${message} (${ruleId})`);
if (problems.length === 0) console.log(`${file} keeps the rules`);
process.exit(problems.length === 0 ? 0 : 1);
