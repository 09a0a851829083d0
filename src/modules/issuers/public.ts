export { IssuersModule } from './issuers.module.js';
export { SigningKeys } from './signing/signing-keys.js';
