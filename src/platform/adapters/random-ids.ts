import { randomUUID } from 'node:crypto';
import type { Ids } from '../../shared/ports.js';

/** Random UUIDs (version 4) of the operating system's generator. */
export class RandomIds implements Ids {
  uuid(): string {
    return randomUUID();
  }
}
