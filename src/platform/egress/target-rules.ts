import { isIP } from 'node:net';
import type { Settings } from '../../config/settings.js';
import { isPublicAddress } from './public-addresses.js';

/** Where calls of tenants may lead, `public`: https to public addresses, or `any`: for development; and where we are found ourselves. */
export type Targets = Pick<Settings, 'WEBHOOK_TARGETS' | 'PUBLIC_URL' | 'PANEL_URL'>;

/** What is wrong with an address, as a field finding has it. */
export interface TargetProblem {
  readonly type: 'url_parsing' | 'url_scheme' | 'url_credentials' | 'url_fragment' | 'url_port' | 'url_address';
  readonly ctx: Readonly<Record<string, unknown>>;
}

const HTTPS = 443;
const HTTP = 80;
const FIRST_UNPRIVILEGED = 1_024;
/** Services that speak to whoever connects: databases, caches, remote control, mail. */
const SERVICE_PORTS: readonly number[] = [1433, 1521, 2049, 2375, 2376, 2379, 2380, 2525, 3306, 3389, 4369, 5432, 5672, 5984, 6379, 6443, 8086, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 27017, 27018];
/** Names that never lead out of a machine or a network. */
const INNER_NAME = /^(?:localhost|[^.]+)$|\.(?:localhost|local|internal|intranet|lan|home\.arpa|test|invalid)$/;

/** What is wrong with an address by its text alone; null: nothing. The addresses of its name are judged at every call. */
export function targetProblem(text: string, { WEBHOOK_TARGETS: targets, PUBLIC_URL, PANEL_URL }: Targets): TargetProblem | null {
  if (!URL.canParse(text)) return { type: 'url_parsing', ctx: {} };
  const url = new URL(text);
  const schemes = targets === 'any' ? ['https', 'http'] : ['https'];
  if (!schemes.includes(url.protocol.slice(0, -1))) return { type: 'url_scheme', ctx: { expected: schemes } };
  if (url.username !== '' || url.password !== '') return { type: 'url_credentials', ctx: {} };
  if (url.hash !== '' || text.includes('#')) return { type: 'url_fragment', ctx: {} };
  const port = portOf(url);
  if ((port < FIRST_UNPRIVILEGED && port !== HTTPS && !(port === HTTP && targets === 'any')) || SERVICE_PORTS.includes(port)) return { type: 'url_port', ctx: {} };
  const isOurs = [PUBLIC_URL, PANEL_URL].some((own) => own !== undefined && placeOf(new URL(own)) === placeOf(url));
  if (targets === 'public' && (isOurs || !mayBePublic(hostOf(url)))) return { type: 'url_address', ctx: {} };
  return null;
}

/** The name or address of a URL, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'http:' ? HTTP : HTTPS) : Number(port));

const placeOf = (url: URL): string => `${hostOf(url)}:${portOf(url)}`;

const mayBePublic = (host: string): boolean => (isIP(host) === 0 ? !INNER_NAME.test(host) : isPublicAddress(host));
