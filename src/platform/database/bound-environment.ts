import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Settings, SETTINGS, SettingsError, sriEnvironment } from '../../config/settings.js';
import { migrationProblem } from './connection-problem.js';
import { TenantTransaction } from './tenant-transaction.js';

/**
 * One database serves one of the SRI's environments. The first start binds it; a process of the other environment
 * stops at its start, before it could number into the wrong sequence or send to the wrong SRI.
 */
@Injectable()
export class BoundEnvironment implements OnModuleInit {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws SettingsError when the database belongs to the other environment, or was not migrated */
  async onModuleInit(): Promise<void> {
    const mine = sriEnvironment(this.settings);
    const [bound] = await this.bind(mine);
    if (bound?.environment !== mine) {
      throw new SettingsError(`APP_ENV: DATABASE_URL names a database of the ${bound?.environment ?? 'unknown'} environment, this process is of ${mine}`);
    }
  }

  private async bind(mine: string): Promise<{ environment: string }[]> {
    try {
      return await this.transaction.platform<{ environment: string }>('select bind_environment($1) as environment', [mine]);
    } catch (error) {
      throw migrationProblem(error) ?? error;
    }
  }
}
