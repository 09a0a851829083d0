import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { type Logger, LOGGER } from '../observability/logger.js';
import { Meters } from '../observability/meters.js';
import { readAway } from './body-bytes.js';
import { answerTo, type ErrorAnswer } from './error-answer.js';
import { languageOf } from './language.js';
import type { ServiceRequest } from './service-request.js';

/** Writes every error as the envelope of the specification (section 7.1). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly meters: Meters,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ServiceRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    const requestId = request.requestId ?? '';
    const answer = answerTo(error, languageOf(request.headers['accept-language']), requestId);
    if (answer.status === 500) this.meters.count('ownFaults', { source: 'http', code: 'INTERNAL' });
    const limit = limitNamedBy(error);
    if (limit !== null) this.meters.count('rateLimited', { bucket: limit });
    if (answer.unexpected) {
      this.logger.error({ err: error, request_id: requestId }, 'a request failed unexpectedly');
    }
    if (response.headersSent) response.destroy();
    else void this.sendBehindBody(answer, request, response);
  }

  /** A caller that is still sending a body, which nobody will read, would not receive the answer. */
  private async sendBehindBody(answer: ErrorAnswer, request: ServiceRequest, response: Response): Promise<void> {
    if (!(await readAway(request))) response.setHeader('Connection', 'close');
    this.send(answer, request, response);
  }

  protected send(answer: ErrorAnswer, _request: ServiceRequest, response: Response): void {
    // What the calls in a minute leave says nothing of another limit.
    if (isOfAnotherLimit(response, answer.headers)) for (const name of OF_CALLS) response.removeHeader(name);
    response.set({ ...answer.headers, 'Cache-Control': 'no-store' }).status(answer.status).json(answer.body);
  }
}

/** The limit that a refusal names. Those of calls in a minute name none: they are counted where they are kept. */
function limitNamedBy(error: unknown): string | null {
  if (!(error instanceof DomainError) || error.code !== 'RATE_LIMITED' || typeof error.detail !== 'object' || error.detail === null) return null;
  return 'limits' in error.detail ? String(error.detail.limits) : null;
}

const OF_CALLS = ['RateLimit', 'RateLimit-Policy'] as const;

function isOfAnotherLimit(response: Response, { 'X-RateLimit-Limit': limit }: Readonly<Record<string, string>>): boolean {
  return limit !== undefined && response.get('X-RateLimit-Limit') !== limit;
}
