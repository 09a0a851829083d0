import { BuildInfo } from './build-info.js';
import { ClockOffset } from './clock-offset.js';
import { DatabaseLife } from './database-life.js';
import { HealthChecks } from './health-checks.js';
import { ManagementServer } from './management-server.js';

/** What every process reports about itself. */
export const SELF_REPORTING = [DatabaseLife, HealthChecks, ManagementServer, BuildInfo, ClockOffset];
