import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Response } from 'express';
import helmet from 'helmet';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { type Ids, IDS } from '../../shared/ports.js';
import { type Logger, LOGGER } from '../observability/logger.js';
import { Meters } from '../observability/meters.js';
import { requestLog } from '../observability/request-log.js';
import { cookieOrigin } from './cookie-origin.js';
import { EXPOSED_HEADERS } from './exposed-headers.js';
import { headerLimit, KEPT_HEADERS } from './header-limit.js';
import type { Description } from '../openapi/description.js';
import { DOCS_PATH, serveDocs } from '../openapi/docs-page.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { PublicAddress } from './public-address.js';
import { isTracing } from '../tracing/spans.js';
import { soundHead, takeUnsoundHeads } from './request-head.js';
import { requestId } from './request-id.js';
import { requestSpan } from './request-span.js';
import type { ServiceRequest } from './service-request.js';
import { endStandstills } from './standstill.js';
import { answerUnreadable } from './unreadable-request.js';

/** Whole request, headers and body, must have arrived within this time; slower senders are cut off (408). */
const REQUEST_TIMEOUT_MS = 25_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node looks for requests that are late. Its own 30 s would let slow senders stay twice as long. */
const LATE_REQUESTS_EVERY_MS = 1_000;
/** Longer than the idle time of usual load balancers, so that we never close first. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Puts in front of the routes the middleware that needs only the head of a request; bodies are read after it, by a guard. The
 * application must be created with `{ bodyParser: false }`; call before `listen` or `init`.
 *
 * @param description of the interface, built when it is first asked for
 */
export function configureHttp(app: NestExpressApplication, description: () => Description): void {
  const settings = app.get<Settings>(SETTINGS);
  matchPathsExactly(app);
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', settings.TRUSTED_PROXIES === '' ? false : settings.TRUSTED_PROXIES);
  app.use(requestId(app.get<Ids>(IDS)));
  if (isTracing()) app.use(requestSpan);
  app.use(requestLog(app.get<Logger>(LOGGER), app.get(Meters)));
  app.use(securityHeaders(settings));
  app.use(lastAnswer(app.get(Shutdown)));
  app.use(noStore);
  allowOrigins(app, settings.ALLOWED_ORIGINS);
  app.use(headerLimit);
  app.use(soundHead);
  app.use(cookieOrigin(app.get(PublicAddress)));
  if (settings.APP_ENV !== 'production') serveDocs(app, description, settings.EXAMPLE_IDS_FILE ?? null);
  const server = app.getHttpServer();
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  endStandstills(server);
  server.maxHeadersCount = KEPT_HEADERS;
  // Read when the server begins to listen; the type knows it as an option of the constructor only, which is Nest's to call.
  Object.assign(server, { connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS });
  takeUnsoundHeads(server);
  answerUnreadable(server, app.get<Ids>(IDS), app.get<Logger>(LOGGER));
}

/**
 * No route is reached by a spelling that limits and logs do not know (other case, trailing slash). Nest's adapter has
 * made the router before anybody could set Express' own settings for this, so they are set on the router itself.
 */
function matchPathsExactly(app: NestExpressApplication): void {
  Object.assign(app.getHttpAdapter().getInstance().router, { caseSensitive: true, strict: true });
}

/** Pages of other origins may read answers only where the settings name them, letter by letter. */
function allowOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.enableCors({
    origin: [...origins],
    credentials: true,
    methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    allowedHeaders: ['Content-Type', 'Authorization', 'X-Tenant-Id', 'Idempotency-Key', 'Prefer', 'X-Request-Id', 'Last-Event-ID', 'traceparent'],
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: 600,
  });
}

function securityHeaders({ APP_ENV, ALLOWED_ORIGINS: origins }: Settings) {
  const isProduction = APP_ENV === 'production';
  const isPanelElsewhere = origins.length > 0;
  return helmet({
    // Local and sandbox deployments may speak plain HTTP: browsers must not rewrite the pages of /docs to https.
    contentSecurityPolicy: { directives: { ...(isPanelElsewhere && { frameAncestors: ["'self'", ...origins] }), ...(!isProduction && { upgradeInsecureRequests: null }) } },
    // Pages of ours show logos and printed documents.
    crossOriginResourcePolicy: { policy: isPanelElsewhere ? 'same-site' : 'same-origin' },
    // It knows no list of origins; browsers that read the policy above go by that.
    xFrameOptions: !isPanelElsewhere,
    strictTransportSecurity: isProduction ? { maxAge: 31_536_000, includeSubDomains: true } : false,
  });
}

/** When a process stops, its connections end with their answer, so that the next request goes to another process. */
function lastAnswer(shutdown: Shutdown) {
  return (_request: ServiceRequest, response: Response, next: NextFunction): void => {
    if (shutdown.isStopping) response.setHeader('Connection', 'close');
    next();
  };
}

/** Answers hold a tenant's data: no cache may keep them. */
function noStore(request: ServiceRequest, response: Response, next: NextFunction): void {
  if (!request.path.startsWith(`/${DOCS_PATH}`)) response.setHeader('Cache-Control', 'no-store');
  next();
}
