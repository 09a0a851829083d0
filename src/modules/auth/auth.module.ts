import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { HttpModule } from '../../platform/http/http.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { AccountController } from './account.controller.js';
import { GoogleController } from './google/google.controller.js';
import { GoogleGuard } from './google/google.guard.js';
import { GoogleStrategy } from './google/google.strategy.js';
import { IdTokenVerifier } from './google/id-token-verifier.js';
import { PendingSignIns } from './google/pending-sign-ins.js';
import { ConfirmationLetters } from './letters/confirmation-letters.js';
import { LetterTurns } from './letters/letter-turns.js';
import { OwnAccountController } from './own-account.controller.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import { IdentitiesRepository } from './persistence/identities.repository.js';
import { PeopleRepository } from './persistence/people.repository.js';
import { SessionsRepository } from './persistence/sessions.repository.js';
import { SessionCookies } from './session-cookies.js';
import { SessionOpener } from './sessions/session-opener.js';
import { SignInController } from './sign-in.controller.js';
import { AcceptInvitationHandler } from './use-cases/accept-invitation.js';
import { ChangePasswordHandler } from './use-cases/change-password.js';
import { DescribeMeHandler } from './use-cases/describe-me.js';
import { ForgotPasswordHandler } from './use-cases/forgot-password.js';
import { FoundOwnTenantHandler } from './use-cases/found-own-tenant.js';
import { LinkIdentityHandler } from './use-cases/link-identity.js';
import { LogInHandler } from './use-cases/log-in.js';
import { LogOutHandler } from './use-cases/log-out.js';
import { LogOutEverywhereHandler } from './use-cases/log-out-everywhere.js';
import { LookAtInvitationHandler } from './use-cases/look-at-invitation.js';
import { RefreshSessionHandler } from './use-cases/refresh-session.js';
import { RenameMeHandler } from './use-cases/rename-me.js';
import { ResetPasswordHandler } from './use-cases/reset-password.js';
import { SendConfirmationHandler } from './use-cases/send-confirmation.js';
import { SignInWithGoogleHandler } from './use-cases/sign-in-with-google.js';
import { SignUpHandler } from './use-cases/sign-up.js';
import { VerifyEmailHandler } from './use-cases/verify-email.js';

const HANDLERS = [
  SignUpHandler,
  LogInHandler,
  RefreshSessionHandler,
  LogOutHandler,
  LogOutEverywhereHandler,
  DescribeMeHandler,
  RenameMeHandler,
  ChangePasswordHandler,
  ForgotPasswordHandler,
  ResetPasswordHandler,
  VerifyEmailHandler,
  SendConfirmationHandler,
  FoundOwnTenantHandler,
  LookAtInvitationHandler,
  AcceptInvitationHandler,
  SignInWithGoogleHandler,
  LinkIdentityHandler,
];

/** People: how they sign up and in, and prove their address. */
@Module({
  imports: [CqrsModule, HttpModule, MailModule],
  controllers: [SignInController, OwnAccountController, AccountController, GoogleController],
  providers: [
    PeopleRepository,
    SessionsRepository,
    IdentitiesRepository,
    PasswordHasher,
    ConfirmationLetters,
    LetterTurns,
    SessionOpener,
    SessionCookies,
    PendingSignIns,
    IdTokenVerifier,
    GoogleStrategy,
    GoogleGuard,
    ...HANDLERS,
  ],
})
export class AuthModule {}
