// Organizations (projects of the base API) as SCIM resources of our own type.

import { type Action, listTarget, permit } from '../../access/index.ts';
import type { Database, ProjectRow } from '../../database.ts';
import { fail } from '../../faults.ts';
import { type Projects, projectFacts } from '../../projects/index.ts';
import { bit, parsed } from '../../resource/index.ts';
import type { Resource } from './attribute.ts';
import { organizationType } from './definitions.ts';
import {
  type Context,
  type Extras,
  externalIdOf,
  type Handler,
  metaOf,
  type Precondition,
  permitted,
  type Revision,
  readName,
} from './handler.ts';
import { applyPatch } from './patch.ts';
import { findRow } from './scim.store.ts';

/** A project of the base API may carry this mark as an attribute of its own. */
const isDefault = (row: ProjectRow): boolean => parsed(row.extra).is_default === true;

const renderOrganization = (row: ProjectRow, base: string): Resource => ({
  schemas: [organizationType.core.id],
  id: row.id,
  ...(row.external_id === null ? {} : { externalId: row.external_id }),
  name: row.name,
  ...(row.description === '' ? {} : { description: row.description }),
  active: row.enabled === 1,
  isDefault: isDefault(row),
  meta: metaOf(organizationType, base, row),
});

function next(row: ProjectRow, revision: Revision): Resource {
  const current = renderOrganization(row, '');
  if (revision.kind === 'patch') return applyPatch(organizationType, current, revision.operations);
  return revision.kind === 'merge' ? { ...current, ...revision.input } : { active: current.active, ...revision.input };
}

const descriptionOf = ({ description }: Resource): string => (typeof description === 'string' ? description : '');

export function createOrganizationResources({ db, projects }: { db: Database; projects: Projects }): Handler<'projects'> {
  async function find(context: Context, id: string, action: Action): Promise<ProjectRow> {
    const row = await findRow(db.read, 'projects', id);
    const organization = row?.is_domain === 0 ? row : undefined;
    return permitted(context, action, organization, projectFacts) ?? fail('project.not_found', { id });
  }

  return {
    type: organizationType,
    table: 'projects',

    find: (context, id) => find(context, id, 'identity:get_project'),

    permitList: ({ caller }) => permit(caller, 'identity:list_projects', listTarget(caller)),

    render: async ({ base }, rows) => rows.map((row) => renderOrganization(row, base)),

    async create({ caller, domainId }, input, extras: Extras = {}) {
      const body = {
        name: readName(input, 'name'),
        description: descriptionOf(input),
        enabled: input.active !== false,
        domain_id: extras.domainId ?? domainId,
        ...(input.isDefault === true ? { is_default: true } : {}),
      };
      const spot = await projects.spotTarget(caller, body);
      permit(caller, 'identity:create_project', spot.facts);
      return projects.create(caller, spot.get(), body, { id: extras.id, externalId: externalIdOf(input) });
    },

    async revise(context, id, revision, expect?: Precondition, extras: Extras = {}) {
      const found = await find(context, id, 'identity:update_project');
      return projects.revise(context.caller, found, (row) => {
        expect?.(row);
        const resource = next(row, revision);
        const name = readName(resource, 'name');
        const enabled = resource.active !== false;
        const marked = resource.isDefault === true;
        return {
          body: {
            ...(extras.id === undefined ? {} : { id: extras.id }),
            ...(extras.domainId === undefined ? {} : { domain_id: extras.domainId }),
            ...(name === row.name ? {} : { name }),
            ...(bit(enabled) === row.enabled ? {} : { enabled }),
            ...(marked === isDefault(row) ? {} : { is_default: marked }),
            ...(descriptionOf(resource) === row.description ? {} : { description: descriptionOf(resource) }),
          },
          externalId: externalIdOf(resource),
        };
      });
    },

    async remove(context, id, expect) {
      const row = await find(context, id, 'identity:delete_project');
      expect?.(row);
      await projects.remove(context.caller, row);
    },
  };
}
