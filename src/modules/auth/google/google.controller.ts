import { Body, Controller, Get, HttpCode, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiConflictResponse, ApiFoundResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { TakesAnyQuery } from '../../../platform/http/declared-input.guard.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { originOf, type RequestOrigin } from '../../../platform/http/service-request.js';
import { Origin, Person, Public, SignedIn } from '../../../platform/security/access.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { LinkIdentityDto } from '../auth.dto.js';
import { SessionRecord } from '../auth.responses.js';
import { SessionCookies } from '../session-cookies.js';
import { LinkIdentity } from '../use-cases/link-identity.js';
import { SignInWithGoogle } from '../use-cases/sign-in-with-google.js';
import { GoogleGuard } from './google.guard.js';
import type { ProvenIdentity } from './id-token-verifier.js';
import { PanelFailureFilter } from './panel-failure.filter.js';
import type { SignInRequest } from './pending-sign-ins.js';

const RETURN_TO = { name: 'return_to', required: false, schema: { type: 'string' }, description: 'Path of the panel that the browser is sent to afterwards; without one the tokens are answered' } as const;

@ApiTags('auth')
@Controller('auth/google')
export class GoogleController {
  constructor(
    private readonly commands: CommandBus,
    private readonly cookies: SessionCookies,
    private readonly address: PublicAddress,
  ) {}

  @Get()
  @Public()
  @TakesAnyQuery()
  @UseGuards(GoogleGuard)
  @ApiOperation({ operationId: 'signInWithGoogle', summary: 'Send the browser to Google' })
  @ApiQuery(RETURN_TO)
  @ApiFoundResponse({ description: "To Google's sign-in page" })
  start(): void {
    // The guard has answered.
  }

  @Get('callback')
  @Public()
  @TakesAnyQuery()
  @UseGuards(GoogleGuard)
  @UseFilters(PanelFailureFilter)
  @ApiOperation({
    operationId: 'completeGoogleSignIn',
    summary: 'Where Google sends the browser back: sets the session cookies. An account that has the address but is not linked: 409 with `link_token`',
  })
  @ApiOkResponse({ type: SessionRecord })
  @ApiConflictResponse({ description: 'An account has the address but is not linked: `link_token` is in the detail' })
  @ApiFoundResponse({ description: 'To `return_to`; of a sign-in that failed with `error` (a code), `reason`, `link_token` and `request_id` in its fragment' })
  async complete(@Req() request: SignInRequest, @Res({ passthrough: true }) response: Response): Promise<SessionRecord | undefined> {
    const session = await this.commands.execute(new SignInWithGoogle(request.user as ProvenIdentity, originOf(request)));
    const answer = this.cookies.answer(response, session, true);
    if (typeof request.returnTo !== 'string') return answer;
    response.redirect(this.address.panel + request.returnTo);
    return undefined;
  }

  @Post('link')
  @HttpCode(204)
  @SignedIn()
  @ApiOperation({
    operationId: 'linkGoogle',
    summary: 'Let the signed-in person sign in with the Google account of `link_token` from now on',
    description: 'A `link_token` that has expired, was used or is another person\'s is 404 with the `reason` `link_expired`: begin the sign-in with Google anew.',
  })
  @ApiNoContentResponse()
  async link(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Body() body: LinkIdentityDto): Promise<void> {
    await this.commands.execute(new LinkIdentity(person, body.link_token, origin));
  }
}
