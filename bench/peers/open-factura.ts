import { peerName, peerPackage } from './packages.js';
import type { Peer } from './peer.js';

interface Package {
  readonly signXml: (pkcs12: ArrayBuffer, password: string, xml: string) => Promise<string>;
}

/** Takes the file and its password with every document; knows files whose certificates are named after one of two authorities. */
export const openFactura: Peer = {
  name: peerName('open-factura'),
  kind: 'job',
  open({ pkcs12, password }) {
    const { signXml } = peerPackage('open-factura') as Package;
    const file = new Uint8Array(pkcs12).buffer;
    return (xml) => signXml(file, password, xml);
  },
};
