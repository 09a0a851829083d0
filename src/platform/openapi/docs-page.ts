import { readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
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
  const variables = (): Variables => ({ today: guayaquilDay(clock.now()), ids: idsOf(idsFile) });
  app.use(keptTexts(() => JSON.stringify(variables())));
  SwaggerModule.setup(DOCS_PATH, app, () => description() as unknown as OpenAPIObject, {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Sello',
    swaggerOptions: UI,
    patchDocumentOnRequest: (_request, _response, document) => {
      const { today, ids } = variables();
      return withCurrentExamples(document, today, ids);
    },
  });
}

/** Everything but the description itself that its examples depend on. */
interface Variables {
  readonly today: string;
  readonly ids: Readonly<Record<string, string>>;
}

/** Where the whole description is served, as itself or as part of a script. */
const WITH_DESCRIPTION = new Set(['/openapi.json', `/${DOCS_PATH}-yaml`, `/${DOCS_PATH}/swagger-ui-init.js`, `/${DOCS_PATH}/${DOCS_PATH}/swagger-ui-init.js`]);

/**
 * Sends the text of before while it holds: making it takes tens of milliseconds of processor time, which any stranger may ask for.
 * @param state names what the texts depend on, as it is now
 */
function keptTexts(state: () => string) {
  const texts = new Map<string, { readonly type: string; readonly text: string }>();
  let madeIn = '';
  return ({ method, path }: Request, response: Response, next: NextFunction): void => {
    if (!['GET', 'HEAD'].includes(method) || !WITH_DESCRIPTION.has(path)) {
      next();
      return;
    }
    const now = state();
    if (now !== madeIn) texts.clear();
    madeIn = now;
    const kept = texts.get(path);
    if (kept !== undefined) {
      response.set('Content-Type', kept.type).send(kept.text);
      return;
    }
    const send = response.send.bind(response);
    response.send = (text: unknown) => {
      response.send = send;
      if (response.statusCode === 200 && typeof text === 'string' && madeIn === now) texts.set(path, { type: String(response.get('Content-Type')), text });
      return send(text);
    };
    next();
  };
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
