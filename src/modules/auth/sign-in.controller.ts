import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { languageOf } from '../../platform/http/language.js';
import { originOf, type RequestOrigin, type ServiceRequest } from '../../platform/http/service-request.js';
import { Origin, Person, PersonIfAny, Public, SignedIn } from '../../platform/security/access.js';
import type { SignedInPerson } from '../../platform/security/person.js';
import { DomainError } from '../../shared/domain-error.js';
import { LogInDto, LogOutDto, RefreshDto, SignUpDto, TenantFoundDto } from './auth.dto.js';
import { FoundedTenantRecord, MeRecord, SessionRecord } from './auth.responses.js';
import { SessionCookies } from './session-cookies.js';
import { DescribeMe } from './use-cases/describe-me.js';
import { FoundOwnTenant } from './use-cases/found-own-tenant.js';
import { LogIn } from './use-cases/log-in.js';
import { LogOut } from './use-cases/log-out.js';
import { RefreshSession } from './use-cases/refresh-session.js';
import { SignUp } from './use-cases/sign-up.js';

@ApiTags('auth')
@Controller('auth')
export class SignInController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly cookies: SessionCookies,
  ) {}

  @Post('signup')
  @Public()
  @ApiOperation({ operationId: 'signUp', summary: 'Found a tenant as its owner; a mail asks to confirm the address' })
  @ApiCreatedResponse({ type: SessionRecord })
  async signUp(@Req() request: ServiceRequest, @Res({ passthrough: true }) response: Response, @Body() body: SignUpDto): Promise<SessionRecord> {
    const { email, password, name, tenant_name: tenantName } = body;
    const language = languageOf(request.headers['accept-language']);
    const session = await this.commands.execute(new SignUp({ email, password, name, tenantName }, language, originOf(request)));
    return this.cookies.answer(response, session, body.cookie);
  }

  @Post('login')
  @HttpCode(200)
  @Public()
  @ApiOperation({ operationId: 'logIn', summary: 'Sign in by e-mail address and password' })
  @ApiOkResponse({ type: SessionRecord })
  async logIn(@Origin() origin: RequestOrigin, @Res({ passthrough: true }) response: Response, @Body() body: LogInDto): Promise<SessionRecord> {
    return this.cookies.answer(response, await this.commands.execute(new LogIn(body.email, body.password, origin)), body.cookie);
  }

  @Post('refresh')
  @HttpCode(200)
  @Public()
  @ApiOperation({ operationId: 'refreshSession', summary: 'Change a refresh token for new tokens; one used twice ends its session' })
  @ApiOkResponse({ type: SessionRecord })
  async refresh(@Req() request: ServiceRequest, @Res({ passthrough: true }) response: Response, @Body() body: RefreshDto): Promise<SessionRecord> {
    const inCookie = body.refresh_token === undefined;
    const token = body.refresh_token ?? this.cookies.refreshTokenOf(request);
    if (token === null) throw new DomainError('UNAUTHENTICATED');
    const session = await this.commands.execute(new RefreshSession(token, originOf(request))).catch((error: unknown) => {
      // What no longer works goes, for the page cannot take it away. An outage takes nothing.
      if (inCookie && error instanceof DomainError && error.code === 'UNAUTHENTICATED') this.cookies.clear(response);
      throw error;
    });
    return this.cookies.answer(response, session, inCookie);
  }

  @Post('logout')
  @HttpCode(204)
  @Public({ signInHonoured: true })
  @ApiOperation({ operationId: 'logOut', summary: 'End the session, by its access token or, when that is too old, by its refresh token' })
  @ApiNoContentResponse()
  async logOut(@PersonIfAny() person: SignedInPerson | null, @Req() request: ServiceRequest, @Res({ passthrough: true }) response: Response, @Body() body: LogOutDto): Promise<void> {
    const refreshToken = body.refresh_token ?? this.cookies.refreshTokenOf(request);
    // The cookie of a session that has ended already is cleared all the same: its page cannot.
    if (person === null && refreshToken === null && !this.cookies.isPresented(request)) throw new DomainError('UNAUTHENTICATED');
    await this.commands.execute(new LogOut(person, refreshToken, originOf(request)));
    this.cookies.clear(response);
  }

  @Post('tenants')
  @SignedIn()
  @ApiOperation({ operationId: 'foundOwnTenant', summary: 'Found a further tenant as its owner; the address must be confirmed' })
  @ApiCreatedResponse({ type: FoundedTenantRecord })
  foundTenant(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Body() { tenant_name }: TenantFoundDto): Promise<FoundedTenantRecord> {
    return this.commands.execute(new FoundOwnTenant(person, tenant_name, origin));
  }

  @Get('me')
  @SignedIn()
  @ApiOperation({ operationId: 'getMe', summary: 'The signed-in person and the tenants they belong to' })
  @ApiOkResponse({ type: MeRecord })
  me(@Person() person: SignedInPerson): Promise<MeRecord> {
    return this.queries.execute(new DescribeMe(person.userId));
  }
}
