import { ecSriInvoiceSigner } from './ec-sri-invoice-signer.js';
import { openFactura } from './open-factura.js';
import type { Peer } from './peer.js';
import { sello } from './sello.js';
import { xadesjs } from './xadesjs.js';
import { xmlCrypto } from './xml-crypto.js';

/** Ours first, then what users would pick: made for the job, then general. */
export const PEERS: readonly Peer[] = [sello, ecSriInvoiceSigner, openFactura, xmlCrypto, xadesjs];

export function peerNamed(name: string): Peer {
  const peer = PEERS.find((one) => one.name === name);
  if (peer === undefined) throw new Error(`no signer is called ${name}`);
  return peer;
}
