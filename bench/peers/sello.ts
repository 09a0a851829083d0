import { createPrivateKey } from 'node:crypto';
import { openPkcs12 } from '../../src/sri/signing/pkcs12.js';
import { XadesSigner } from '../../src/sri/signing/xades.js';
import type { Peer } from './peer.js';

/** This project's signer, as the worker uses it: the file is opened once. */
export const sello: Peer = {
  name: 'Sello',
  kind: 'ours',
  open({ pkcs12, password }) {
    const { privateKeyPkcs8, certificateDer } = openPkcs12(pkcs12, password, new Date());
    const signer = new XadesSigner(certificateDer, createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' }));
    return (xml) => signer.signSync(xml, new Date());
  },
};
