import type { MemberRecord } from '../members.responses.js';

/** The member after a change that does not remove it. */
export function stillThere(member: MemberRecord | null): MemberRecord {
  if (member === null) throw new Error('a member vanished inside its transaction');
  return member;
}
