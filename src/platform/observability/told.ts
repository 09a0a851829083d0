import { BuildInfo } from './build-info.js';
import { ClockOffset } from './clock-offset.js';
import { DatabaseLife } from './database-life.js';
import { HealthChecks } from './health-checks.js';
import { OperatorsDoor } from './operators-door.js';
import { SigningSelfTest } from './signing-self-test.js';

/** What every process tells of itself. */
export const TOLD = [DatabaseLife, HealthChecks, SigningSelfTest, OperatorsDoor, BuildInfo, ClockOffset];
