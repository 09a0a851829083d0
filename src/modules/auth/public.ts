export { TenantsStore } from './persistence/tenants.store.js';
export { type ProvisionedTenant, ProvisionTenant } from './use-cases/provision-tenant.js';
