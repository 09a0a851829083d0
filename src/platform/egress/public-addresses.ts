import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is handed out to the public Internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Looks public, but in Azure answers every machine from the host it runs on, with that machine's configuration. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/**
 * True for an address of the public Internet. Private, loopback, link-local (cloud metadata), shared (CGNAT), multicast,
 * reserved and documentation addresses and Azure's wire server are none, nor is any of them dressed up as IPv6 (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  // The library also reads short forms such as 127.1, which no connection is made to.
  if (isIP(address) === 0) return false;
  // Takes an IPv4-mapped address for what it is.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return parsed.toString() !== AZURE_WIRE_SERVER;
  return (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}
