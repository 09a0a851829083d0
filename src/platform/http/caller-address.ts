import { isIP } from 'node:net';

/** The client's address; of IPv6 the network that one customer is given. Proxies are believed as the settings say. */
export function addressOf({ ip }: { readonly ip?: string | undefined }): string {
  const plain = plainAddress(ip);
  return `address:${plain?.includes(':') ? networkOf(plain) : (plain ?? 'unknown')}`;
}

/**
 * The client's address as the audit log names it, without the port that some proxies write behind it. Null when there is none: what
 * is no address, and may be another each time, counts as one caller.
 */
export function plainAddress(ip: string | undefined): string | null {
  const bare = ip === undefined ? '' : (/^\[([^\]]*)\](?::\d+)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d+$/.exec(ip)?.[1] ?? ip);
  // The zone of a link-local address is the host's own name for it.
  const [plain = ''] = bare.replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  return isIP(plain) === 0 ? null : plain;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const [first, last] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)];
  const groups = tail === undefined ? first : [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  return groups.slice(0, 4).map((group) => parseInt(group, 16).toString(16)).join(':');
}
