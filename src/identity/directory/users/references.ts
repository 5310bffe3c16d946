// Checks the domain and the default project of a user.
import { findProject } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';

export const createReferenceChecks = (db: Database) => ({
  /** Of a user to be created. The domain of the caller's own token is there, or the token was not valid. */
  async domainOfNew({ authContext: { domain: own, project } }: Caller, id: string): Promise<void> {
    if (id === (own?.id ?? project?.domain.id)) return;
    const domain = await findProject(db.read, id);
    if (!domain?.is_domain) fail('domain.not_found', { id });
  },

  async defaultProject(id: string | null | undefined, reader: Reader = db.read): Promise<void> {
    const project = id ? await findProject(reader, id) : undefined;
    if (project?.is_domain)
      fail('request.bad_value', { field: 'default_project_id', why: 'a domain cannot be the default project of a user' });
  },
});

export type ReferenceChecks = ReturnType<typeof createReferenceChecks>;
