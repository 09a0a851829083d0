import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type Settings, SETTINGS, SettingsError, sriEnvironment } from '../../config/settings.js';
import { IS_CLOSED } from './closed-schema.js';
import { migrationProblem, unfinishedRestore } from './connection-problem.js';
import { LOGIN_RIGHTS, loginProblem, type LoginRights } from './login-rights.js';
import { TenantTransaction } from './tenant-transaction.js';

interface Bound extends LoginRights {
  readonly environment: string;
}

/**
 * One database serves one of the SRI's environments. The first start binds it; a process of the other environment
 * stops at its start, before it could number into the wrong sequence or send to the wrong SRI. The same query also finds out
 * whether the login may do more than it should.
 */
@Injectable()
export class BoundEnvironment implements OnModuleInit {
  private readonly log = new Logger(BoundEnvironment.name);

  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws SettingsError when the database belongs to the other environment, was not migrated, or was not restored to the end */
  async onModuleInit(): Promise<void> {
    const mine = sriEnvironment(this.settings);
    const [bound] = await this.bind(mine);
    if (bound?.environment !== mine) {
      throw new SettingsError(`APP_ENV: DATABASE_URL names a database of the ${bound?.environment ?? 'unknown'} environment, this process is of ${mine}`);
    }
    const problem = loginProblem(bound);
    if (problem !== null) this.log.warn(problem);
  }

  private async bind(mine: string): Promise<Bound[]> {
    try {
      return await this.transaction.withoutTenant<Bound>(`select bind_environment($1) as environment, ${LOGIN_RIGHTS} from pg_roles where rolname = session_user`, [mine]);
    } catch (error) {
      const problem = migrationProblem(error);
      if (problem === null) throw error;
      // To a role that may not use the schema, what it holds is not there.
      throw (await this.isClosed()) ? unfinishedRestore(error) : problem;
    }
  }

  private async isClosed(): Promise<boolean> {
    const [schema] = await this.transaction.withoutTenant<{ is_closed: boolean }>(IS_CLOSED);
    return schema?.is_closed === true;
  }
}
