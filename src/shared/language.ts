/** Languages in which the service speaks to people. */
export type Language = 'es' | 'en';
