import { createHash } from 'node:crypto';
import type { Chance } from '../../../shared/ports.js';
import type { Invitation } from '../persistence/members.repository.js';

/** An invitation that was not accepted within a week is void; it can be sent anew. */
const VALID_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;

export interface DrawnInvitation extends Invitation {
  /** Goes into the mail and nowhere else. */
  readonly token: string;
}

/** A fresh invitation. Only the hash of its token is kept. */
export function drawInvitation(chance: Chance, now: Date): DrawnInvitation {
  const token = Buffer.from(chance.bytes(TOKEN_BYTES)).toString('base64url');
  return { token, hash: createHash('sha256').update(token, 'utf8').digest(), expiresAt: new Date(now.getTime() + VALID_MS) };
}
