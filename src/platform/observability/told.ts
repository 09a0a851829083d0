import { BuildInfo } from './build-info.js';
import { HealthChecks } from './health-checks.js';
import { OperatorsDoor } from './operators-door.js';
import { SigningSelfTest } from './signing-self-test.js';

/** What every process tells of itself. */
export const TOLD = [HealthChecks, SigningSelfTest, OperatorsDoor, BuildInfo];
