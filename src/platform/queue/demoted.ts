/**
 * For the clients of Redis: a node that only reads is left, and the address asked anew who the primary is. Nothing is sent again.
 * Errors within a transaction do not come here.
 */
export const leaveDemoted = ({ message }: Error): boolean => message.startsWith('READONLY');
