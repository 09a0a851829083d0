import { readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { guayaquilDay } from '../../shared/guayaquil.js';
import { type Clock, CLOCK } from '../../shared/ports.js';
import type { Description } from './description.js';
import { SAMPLE_DAY, sampleId } from './samples.js';

export const DOCS_PATH = 'docs';

/** Every call can be tried at once, with a key that is kept in the browser; groups start closed. */
const UI = { persistAuthorization: true, tryItOutEnabled: true, docExpansion: 'none', filter: true, displayRequestDuration: true, operationsSorter: 'alpha' } as const;

/**
 * Serves Swagger UI at `/docs` and the description itself at `/openapi.json`, with examples that work now: dated today,
 * and with the ids that the file holds, where there is one.
 */
export function serveDocs(app: NestExpressApplication, description: () => Description, idsFile: string | null): void {
  const clock = app.get<Clock>(CLOCK);
  SwaggerModule.setup(DOCS_PATH, app, () => description() as unknown as OpenAPIObject, {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Sello',
    swaggerOptions: UI,
    patchDocumentOnRequest: (_request, _response, document) => withCurrentExamples(document, guayaquilDay(clock.now()), idsOf(idsFile)),
  });
}

/** The same description with other days and ids in its examples. */
export function withCurrentExamples<Document>(document: Document, today: string, ids: Readonly<Record<string, string>>): Document {
  const period = (day: string): string => `${day.slice(5, 7)}/${day.slice(0, 4)}`;
  const changes = new Map([[SAMPLE_DAY, today], [period(SAMPLE_DAY), period(today)], ...Object.entries(ids).map(([name, id]) => [sampleId(name), id] as const)]);
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => (typeof value === 'string' ? (changes.get(value) ?? value) : value)) as Document;
}

/** What the file holds now: it is written when the demo tenant exists, which needs this very service. */
function idsOf(file: string | null): Readonly<Record<string, string>> {
  if (file === null) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
