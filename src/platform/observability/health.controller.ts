import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { DomainError } from '../../shared/domain-error.js';
import { TakesAnyQuery } from '../http/declared-input.guard.js';
import { Public } from '../security/access.js';
import { HealthChecks, type Readiness } from './health-checks.js';

const VERDICT = { type: 'string', enum: ['ok', 'degraded', 'failing'] };
const READINESS = {
  type: 'object',
  required: ['status', 'checks'],
  properties: {
    status: VERDICT,
    checks: {
      type: 'object', required: ['process', 'postgresql', 'migrations', 'signing', 'redis'], properties: { process: VERDICT, postgresql: VERDICT, migrations: VERDICT, signing: VERDICT, redis: VERDICT },
    },
  },
};

@ApiTags('operation')
@Controller('health')
@TakesAnyQuery()
@Public()
export class HealthController {
  constructor(private readonly checks: HealthChecks) {}

  @Get('live')
  @HttpCode(200)
  @ApiOperation({ operationId: 'live', summary: 'The process runs' })
  @ApiOkResponse({ schema: { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } } })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'ready', summary: 'The process can do its work' })
  @ApiOkResponse({ description: 'ok, or degraded: Redis is away and work goes on more slowly, PostgreSQL only reads and takes nothing in, or calls wait for every connection to it', schema: READINESS })
  @ApiServiceUnavailableResponse({ description: 'The process stops, PostgreSQL, its migrations or signing fail, or the master key is not that of the stored signing keys' })
  async ready(): Promise<Readiness> {
    const readiness = await this.checks.ready();
    if (readiness.status === 'failing') throw new DomainError('SERVICE_UNAVAILABLE', readiness);
    return readiness;
  }
}
