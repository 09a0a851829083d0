import { Body, Controller, Delete, HttpCode, Patch, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RateLimit } from '../../platform/http/rate-limits.js';
import type { RequestOrigin } from '../../platform/http/service-request.js';
import { Origin, Person, SignedIn } from '../../platform/security/access.js';
import type { SignedInPerson } from '../../platform/security/person.js';
import { ChangePasswordDto, MeUpdateDto } from './auth.dto.js';
import { MeRecord } from './auth.responses.js';
import { SessionCookies } from './session-cookies.js';
import { ChangePassword } from './use-cases/change-password.js';
import { DescribeMe } from './use-cases/describe-me.js';
import { LogOutEverywhere } from './use-cases/log-out-everywhere.js';
import { RenameMe } from './use-cases/rename-me.js';

/** What people change about their own account while they are signed in. */
@ApiTags('auth')
@Controller('auth')
export class OwnAccountController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly cookies: SessionCookies,
  ) {}

  @Patch('me')
  @SignedIn()
  @RateLimit('rename')
  @ApiOperation({ operationId: 'updateMe', summary: 'Name the signed-in person anew, in all of their tenants' })
  @ApiOkResponse({ type: MeRecord })
  async rename(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Body() { name }: MeUpdateDto): Promise<MeRecord> {
    await this.commands.execute(new RenameMe(person, name, origin));
    return this.queries.execute(new DescribeMe(person.userId));
  }

  @Post('password/change')
  @HttpCode(204)
  @SignedIn()
  @ApiOperation({
    operationId: 'changePassword',
    summary: 'Set another password by telling the present one; ends every other session',
    description:
      'A wrong `current_password` is 422 `wrong_password`, and counts for the lock of the account as one at the sign-in does; while it is locked, 429 with the `reason` `account_locked`. ' +
      'An account that has no password yet is 409 with the `reason` `no_password`: `POST /auth/password/forgot` sets one.',
  })
  @ApiNoContentResponse()
  async changePassword(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Body() body: ChangePasswordDto): Promise<void> {
    await this.commands.execute(new ChangePassword(person, body.current_password, body.password, origin));
  }

  @Delete('sessions')
  @HttpCode(204)
  @SignedIn()
  @ApiOperation({ operationId: 'logOutEverywhere', summary: 'End every session of the signed-in person, this one included' })
  @ApiNoContentResponse()
  async logOutEverywhere(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.commands.execute(new LogOutEverywhere(person, origin));
    this.cookies.clear(response);
  }
}
