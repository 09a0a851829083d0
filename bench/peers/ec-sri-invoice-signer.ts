import { peerName, peerPackage } from './packages.js';
import type { Peer } from './peer.js';

interface Package {
  readonly signInvoiceXml: (xml: string, pkcs12: Buffer, options: { pkcs12Password: string }) => string;
}

/** Takes the file and its password with every document. */
export const ecSriInvoiceSigner: Peer = {
  name: peerName('ec-sri-invoice-signer'),
  kind: 'job',
  open({ pkcs12, password }) {
    const { signInvoiceXml } = peerPackage('ec-sri-invoice-signer') as Package;
    return (xml) => signInvoiceXml(xml, pkcs12, { pkcs12Password: password });
  },
};
