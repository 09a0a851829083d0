export { type SealedWebhookSecretRow, SealedWebhookSecretsStore } from './persistence/sealed-webhook-secrets.store.js';
