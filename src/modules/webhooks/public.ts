export { SealedWebhookSecretsStore } from './persistence/sealed-webhook-secrets.store.js';
export { SECRET_PREFIX, signedHeaders } from './dispatch/standard-signature.js';
