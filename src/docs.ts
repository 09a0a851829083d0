/**
 * `npm run docs` writes what is generated from the code; with `--check` it writes
 * nothing and fails, naming each file that is not what the code says.
 */
import 'reflect-metadata';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SETTINGS_SCHEMA } from './config/settings.js';
import { accessPage, type DescribedApi } from './docs/access.js';
import { collectionOf } from './docs/collection.js';
import { configurationPage, environmentExample, LOCAL_SETTINGS, settingsOf } from './docs/configuration.js';
import { errorsPage } from './docs/errors.js';
import { type DescribedEvents, eventsPage } from './docs/events.js';
import { pageWithIncludes } from './docs/included.js';
import { issuingPage } from './docs/issuing.js';
import { licencesPage, readLockFile } from './docs/licences.js';
import { lifecyclePage } from './docs/lifecycle.js';
import { metricsPage } from './docs/metrics.js';
import { openApiDocument } from './docs/openapi.js';
import { rulesPage } from './docs/rules.js';
import { schemaPages } from './docs/schema.js';
import { simulatorPage } from './docs/simulator.js';
import { statesPage } from './docs/states.js';
import { migrate } from './operations/migrate.js';
import { LIFECYCLE } from './modules/documents/domain/lifecycle.js';
import { invalidCertificateReasons } from './modules/issuers/public.js';
import { METRICS, RUNTIME_METRICS } from './platform/observability/metrics.js';
import type { Description } from './platform/openapi/description.js';
import { ERROR_CATALOGUE } from './shared/error-catalogue.js';
import { EVENT_CATALOGUE } from './shared/event-catalogue.js';
import { ruleCatalogue } from './sri/document-types/rules/rule.js';

const settings = settingsOf(SETTINGS_SCHEMA);
const openApi = await openApiDocument();
const schema = await schemaPages((ownerUrl) => migrate(ownerUrl, () => undefined));
const files: Readonly<Record<string, string>> = {
  '.env.example': environmentExample(settings, LOCAL_SETTINGS),
  'docs/configuration.md': configurationPage(settings, LOCAL_SETTINGS),
  'docs/errors.md': errorsPage(ERROR_CATALOGUE, invalidCertificateReasons()),
  'docs/quick-start.md': pageWithIncludes('docs/quick-start.md'),
  'docs/front-ends.md': pageWithIncludes('docs/front-ends.md'),
  'docs/issuing.md': issuingPage(),
  'docs/states.md': statesPage(LIFECYCLE),
  'docs/events.md': eventsPage(EVENT_CATALOGUE, JSON.parse(openApi) as DescribedEvents),
  'docs/lifecycle.md': lifecyclePage(LIFECYCLE),
  'docs/metrics.md': metricsPage(Object.values(METRICS), RUNTIME_METRICS),
  'docs/access.md': accessPage(JSON.parse(openApi) as DescribedApi),
  'docs/openapi.json': openApi,
  'docs/collection.postman.json': collectionOf(JSON.parse(openApi) as Description),
  'docs/simulator.md': simulatorPage(),
  ...schema,
  'docs/licences.md': licencesPage(readLockFile()),
  // The description of the API loads the whole service, and with it every rule.
  'docs/rules.md': rulesPage(ruleCatalogue()),
};

const stale = Object.entries(files).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not what the code says: run "npm run docs"`);
  if (stale.length === 0) console.log(`${Object.keys(files).length} generated files are current`);
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
process.exit(process.argv.includes('--check') && stale.length > 0 ? 1 : 0);
