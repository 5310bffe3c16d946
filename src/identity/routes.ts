// Every route of the identity service, module by module. OpenAPI is printed from this list without starting anything.
import type { App } from '../platform/http/index.ts';
import type { Caller } from './caller.ts';
import { mountCatalog } from './catalog/index.ts';
import { mountDiscovery } from './discovery/index.ts';
import { mountAssignments, mountGrants } from './grants/index.ts';
import { mountGroups } from './groups/index.ts';
import { mountDomains, mountProjects, mountTags } from './projects/index.ts';
import { mountImpliedRoles, mountRoles } from './roles/index.ts';
import { mountAuth } from './tokens/index.ts';
import { mountUsers } from './users/index.ts';

/** What all modules together need. */
export type Parts = Parameters<typeof mountAuth>[1] &
  Parameters<typeof mountDomains>[1] &
  Parameters<typeof mountProjects>[1] &
  Parameters<typeof mountTags>[1] &
  Parameters<typeof mountUsers>[1] &
  Parameters<typeof mountGroups>[1] &
  Parameters<typeof mountRoles>[1] &
  Parameters<typeof mountImpliedRoles>[1] &
  Parameters<typeof mountGrants>[1] &
  Parameters<typeof mountAssignments>[1] &
  Parameters<typeof mountCatalog>[1];

export function mountIdentity(app: App<Caller>, parts: Parts): void {
  mountDiscovery(app);
  mountAuth(app, parts);
  mountDomains(app, parts);
  mountProjects(app, parts);
  mountTags(app, parts);
  mountUsers(app, parts);
  mountGroups(app, parts);
  mountRoles(app, parts);
  mountImpliedRoles(app, parts);
  mountGrants(app, parts);
  mountAssignments(app, parts);
  mountCatalog(app, parts);
}
