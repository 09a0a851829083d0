export { invalidCertificateReasons } from './certificate-check-messages.js';
export { SigningKeysModule } from './signing-keys.module.js';
export { SigningKeys } from './signing/signing-keys.js';
export { SealedKeysStore } from './persistence/sealed-keys.store.js';
