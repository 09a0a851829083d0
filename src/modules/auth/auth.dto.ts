import { ApiSchema } from '@nestjs/swagger';
import { Email, Flag, Secret, Text } from '../../platform/http/fields.js';
import { MayBeAbsent } from '../../platform/http/may-be-absent.js';
import { RefusedLater } from '../../platform/http/refused-later.js';
import { sampleOf } from '../../platform/openapi/samples.js';
import { MAX_PASSWORD, MIN_PASSWORD } from './domain/password-rules.js';
import { weakness } from './passwords/refuse-weak.js';

const MAX_TOKEN = 128;
/** Length of a password that is chosen; one that is only checked may be of any length. */
const CHOSEN = { min: MIN_PASSWORD, max: MAX_PASSWORD } as const;
const COOKIE = 'Keep the tokens in HttpOnly cookies: for pages of ours in a browser';

@ApiSchema({ name: 'SignUp' })
@RefusedLater<SignUpDto>(({ password, email, name, tenant_name }) => weakness(password, [email, name, tenant_name]))
export class SignUpDto {
  @Email({ max: 255, ofAccount: true }) email: string;
  @Secret({ ...CHOSEN, about: 'What is common or near at hand is refused' }) password: string;
  @Text({ max: 120, about: 'Of the person', example: 'Rosa Calle' }) name: string;
  @Text({ max: 200, about: 'Of the company or business that is founded' }) tenant_name: string;
  @Flag({ default: false, about: COOKIE }) cookie: boolean = false;
}

@ApiSchema({ name: 'LogIn' })
export class LogInDto {
  @Email({ max: 255, ofAccount: true }) email: string;
  @Secret({ max: MAX_PASSWORD }) password: string;
  @Flag({ default: false, about: COOKIE }) cookie: boolean = false;
}

@MayBeAbsent()
@ApiSchema({ name: 'Refresh' })
export class RefreshDto {
  @Secret({ max: MAX_TOKEN, optional: true, about: 'Default: the one in the cookie', example: sampleOf('refresh_token', '') }) refresh_token?: string;
}

@MayBeAbsent()
@ApiSchema({ name: 'LogOut' })
export class LogOutDto {
  @Secret({ max: MAX_TOKEN, optional: true, about: 'Ends its session without an access token; default: the one in the cookie', example: sampleOf('refresh_token', '') }) refresh_token?: string;
}

@ApiSchema({ name: 'TenantFoundation' })
export class TenantFoundDto {
  @Text({ max: 200, about: 'Of the company or business that is founded' }) tenant_name: string;
}

@ApiSchema({ name: 'ForgotPassword' })
export class ForgotPasswordDto {
  @Email({ max: 255, ofAccount: true }) email: string;
}

@ApiSchema({ name: 'ResetPassword' })
@RefusedLater<ResetPasswordDto>(({ password }) => weakness(password, []))
export class ResetPasswordDto {
  @Secret({ max: MAX_TOKEN, about: 'Out of the mail' }) token: string;
  @Secret(CHOSEN) password: string;
}

@ApiSchema({ name: 'PasswordChange' })
@RefusedLater<ChangePasswordDto>(({ password }) => weakness(password, []))
export class ChangePasswordDto {
  @Secret({ max: MAX_PASSWORD, about: 'The present one' }) current_password: string;
  @Secret({ ...CHOSEN, about: 'What is common or near at hand is refused' }) password: string;
}

@ApiSchema({ name: 'MeUpdate' })
export class MeUpdateDto {
  @Text({ max: 120, about: 'Of the person', example: 'Rosa Calle' }) name: string;
}

@ApiSchema({ name: 'MailToken' })
export class TokenDto {
  @Secret({ max: MAX_TOKEN, about: 'Out of the mail' }) token: string;
}

@ApiSchema({ name: 'InvitationAcceptance' })
@RefusedLater<AcceptInvitationDto>(({ password, name }) => weakness(password, [name]))
export class AcceptInvitationDto {
  @Secret({ max: MAX_TOKEN, about: 'Out of the mail' }) token: string;
  @Text({ max: 120, optional: true, about: 'Of who has no account yet', example: 'Rosa Calle' }) name?: string;
  @Secret({ ...CHOSEN, optional: true, about: 'Of who has no account yet; others sign in first' }) password?: string;
}

@ApiSchema({ name: 'IdentityLink' })
export class LinkIdentityDto {
  @Secret({ max: MAX_TOKEN, about: '`link_token` of the refused sign-in' }) link_token: string;
}
