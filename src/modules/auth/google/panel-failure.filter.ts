import { Catch, Inject } from '@nestjs/common';
import type { Response } from 'express';
import { ErrorFilter } from '../../../platform/http/error.filter.js';
import type { ErrorAnswer } from '../../../platform/http/error-answer.js';
import { isObject } from '../../../shared/is-object.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { Meters } from '../../../platform/observability/meters.js';
import type { SignInRequest } from './pending-sign-ins.js';

const UNAUTHENTICATED = 401;

/**
 * Why a sign-in failed, for a page that the browser is to return to: a person looks at it, and its scripts cannot read the
 * answer of the API. The fragment stays in the browser; a `link_token` in it is in no log.
 */
@Catch()
export class PanelFailureFilter extends ErrorFilter {
  constructor(
    @Inject(LOGGER) logger: Logger,
    meters: Meters,
    private readonly address: PublicAddress,
  ) {
    super(logger, meters);
  }

  protected override send(answer: ErrorAnswer, request: SignInRequest, response: Response): void {
    const page = this.pageOf(request, answer);
    if (page === null) {
      super.send(answer, request, response);
      return;
    }
    const told = new URLSearchParams(failureOf(answer)).toString();
    response.set('Cache-Control', 'no-store').redirect(`${this.address.panel}${page}${page.includes('#') ? '&' : '#'}${told}`);
  }

  /** If a sign-in is over or another browser's, its return path is unknown. The panel's first page then helps a person more than JSON. */
  private pageOf({ returnTo }: SignInRequest, { status }: ErrorAnswer): string | null {
    return returnTo === undefined && status === UNAUTHENTICATED && this.address.hasPanel ? '/' : (returnTo ?? null);
  }
}

function failureOf({ body }: ErrorAnswer): Record<string, string> {
  const { code, detail, request_id } = body['error'] as { readonly code: string; readonly detail: unknown; readonly request_id: string };
  const more = Object.entries(isObject(detail) ? detail : {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { ...Object.fromEntries(more), error: code, request_id };
}
