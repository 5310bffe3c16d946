// /v3/OS-SERVICE: overview, keys, deliveries and backups, for administrators.
export { mountAdministration } from './administration.routes.ts';
export { createAdministration } from './administration.rules.ts';
export { publishedKeyIds, readKeyAges } from './overview.store.ts';
