export { TenantStore } from './persistence/tenant-store.js';
export { type ProvisionedTenant, ProvisionTenant } from './use-cases/provision-tenant.js';
