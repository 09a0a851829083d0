import type { ServiceRequest } from './service-request.js';

/** The client's address; of IPv6 the network that one customer is given. Proxies are believed as the settings say. */
export function addressOf({ ip = 'unknown' }: ServiceRequest): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/, '');
  return `address:${plain.includes(':') ? networkOf(plain) : plain}`;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const [first, last] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)];
  const groups = tail === undefined ? first : [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  return groups.slice(0, 4).map((group) => parseInt(group, 16).toString(16)).join(':');
}
