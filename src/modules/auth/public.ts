export { TenantsStore } from './persistence/tenants.store.js';
export { ProvisionTenant } from './use-cases/provision-tenant.js';
