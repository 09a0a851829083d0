import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { addressOf } from '../../platform/http/caller-address.js';
import { languageOf } from '../../platform/http/language.js';
import { originOf, type RequestOrigin, type ServiceRequest } from '../../platform/http/service-request.js';
import { sampleOf } from '../../platform/openapi/samples.js';
import { Origin, Person, PersonIfAny, Public, SignedIn } from '../../platform/security/access.js';
import type { SignedInPerson } from '../../platform/security/person.js';
import { AcceptInvitationDto, ForgotPasswordDto, ResetPasswordDto, TokenDto } from './auth.dto.js';
import { AcceptedInvitationRecord, InvitationRecord } from './auth.responses.js';
import { SessionCookies } from './session-cookies.js';
import { AcceptInvitation } from './use-cases/accept-invitation.js';
import { ForgotPassword } from './use-cases/forgot-password.js';
import { LookAtInvitation } from './use-cases/look-at-invitation.js';
import { ResetPassword } from './use-cases/reset-password.js';
import { SendConfirmation } from './use-cases/send-confirmation.js';
import { VerifyEmail } from './use-cases/verify-email.js';

const TOKEN = sampleOf('token', '');

/** The new person first: the collection of requests sends that one, and signs nobody in for it. */
const ACCEPTANCES = {
  new_person: { summary: 'A new person', value: { token: TOKEN, name: 'Rosa Calle', password: sampleOf('password', '') } },
  signed_in: { summary: 'Signed in as the invited person', value: { token: TOKEN } },
};

/** What people do with the links of mails. */
@ApiTags('auth')
@Controller('auth')
export class AccountController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly cookies: SessionCookies,
  ) {}

  @Post('password/forgot')
  @HttpCode(202)
  @Public()
  @ApiOperation({ operationId: 'forgotPassword', summary: 'Send a link to set another password; the same answer whether or not there is an account' })
  @ApiAcceptedResponse()
  async forgot(@Req() request: ServiceRequest, @Body() body: ForgotPasswordDto): Promise<void> {
    await this.commands.execute(new ForgotPassword(body.email, languageOf(request.headers['accept-language']), addressOf(request)));
  }

  @Post('password/reset')
  @HttpCode(204)
  @Public()
  @ApiOperation({ operationId: 'resetPassword', summary: 'Set another password with the token of a mail; ends every session' })
  @ApiNoContentResponse()
  async reset(@Origin() origin: RequestOrigin, @Body() body: ResetPasswordDto): Promise<void> {
    await this.commands.execute(new ResetPassword(body.token, body.password, origin));
  }

  @Post('email/verify')
  @HttpCode(204)
  @Public()
  @ApiOperation({ operationId: 'verifyEmail', summary: 'Confirm an e-mail address with the token of a mail' })
  @ApiNoContentResponse()
  async verify(@Origin() origin: RequestOrigin, @Body() body: TokenDto): Promise<void> {
    await this.commands.execute(new VerifyEmail(body.token, origin));
  }

  @Post('email/verify/send')
  @HttpCode(202)
  @SignedIn()
  @ApiOperation({ operationId: 'sendConfirmation', summary: 'Send the mail that asks to confirm the address once more; who has confirmed gets none' })
  @ApiAcceptedResponse()
  async sendConfirmation(@Person() person: SignedInPerson, @Req() request: ServiceRequest): Promise<void> {
    await this.commands.execute(new SendConfirmation(person.userId, languageOf(request.headers['accept-language'])));
  }

  @Post('invitations/look')
  @HttpCode(200)
  @Public()
  @ApiOperation({ operationId: 'lookAtInvitation', summary: 'What the invitation of a mail offers, before it is accepted; uses nothing up' })
  @ApiOkResponse({ type: InvitationRecord })
  look(@Body() body: TokenDto): Promise<InvitationRecord> {
    return this.queries.execute(new LookAtInvitation(body.token));
  }

  @Post('invitations/accept')
  @HttpCode(200)
  @Public({ signInHonoured: true })
  @ApiOperation({
    operationId: 'acceptInvitation',
    summary: 'Become a member: signed in as the invited person, or with name and password as a new one',
    description:
      'Opens no session: a new person signs in by `POST /auth/login` next. Without `name` and `password`, of an address that has an account, who is not signed in ' +
      'is 409 with the `reason` `sign_in_required`, or 401 where a refresh cookie came along: `POST /auth/refresh` signs in again.',
  })
  @ApiBody({ type: AcceptInvitationDto, examples: ACCEPTANCES })
  @ApiOkResponse({ type: AcceptedInvitationRecord })
  accept(@PersonIfAny() person: SignedInPerson | null, @Req() request: ServiceRequest, @Body() body: AcceptInvitationDto): Promise<AcceptedInvitationRecord> {
    return this.commands.execute(new AcceptInvitation(body, person, this.cookies.refreshTokenOf(request) !== null, originOf(request)));
  }
}
