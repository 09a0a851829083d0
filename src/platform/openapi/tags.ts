/** Groups of calls, in the order in which somebody meets them. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'documents', description: 'Issuing tax documents, and what may be done with them afterwards' },
  { name: 'drafts', description: 'Documents before they have a number' },
  { name: 'issuers', description: 'Who issues: issuers, establishments, emission points, numbers, signing certificates' },
  { name: 'products', description: 'The catalogue of products and services' },
  { name: 'buyers', description: 'Profiles of buyers, and looking them up' },
  { name: 'exports', description: 'Documents as files' },
  { name: 'webhooks', description: 'Being told of events: subscriptions, deliveries, and what is sent' },
  { name: 'events', description: 'What happened, to read or to follow' },
  { name: 'reference', description: 'Code tables of the SRI' },
  { name: 'tenant', description: 'The tenant, its members and its audit log' },
  { name: 'auth', description: 'Signing up and in, and API keys' },
  { name: 'platform', description: 'What the operator of the platform does' },
  { name: 'operation', description: 'The state of the service itself' },
];
