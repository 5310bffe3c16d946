// Organizations (projects of the base API) as SCIM resources of our own resource type.

import { type Projects, projectFacts } from '../../../directory/projects/index.ts';
import type { Database, ProjectRow } from '../../../ground/database/index.ts';
import { fail } from '../../../ground/faults.ts';
import { bit, parseJson } from '../../../ground/resource/index.ts';
import type { Resource } from './attribute.ts';
import { organizationType } from './definitions.ts';
import {
  type Extras,
  externalIdOf,
  metaOf,
  type Precondition,
  type ResourceHandler,
  type Revision,
  readName,
  targetWithin,
} from './handler.ts';
import { applyPatch } from './patch.ts';
import { flagsOf } from './resource.schema.ts';
import { findOrganization } from './scim.store.ts';

/** A project of the base API may have this flag as an extra attribute. */
const isDefault = (row: ProjectRow): boolean => parseJson(row.extra).is_default === true;

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

function revisedOrganization(row: ProjectRow, revision: Revision): Resource {
  const current = renderOrganization(row, '');
  if (revision.kind === 'patch') return applyPatch(organizationType, current, revision.operations);
  const kept = revision.kind === 'merge' ? current : flagsOf(organizationType, current);
  return { ...kept, ...revision.input };
}

const descriptionOf = ({ description }: Resource): string => (typeof description === 'string' ? description : '');

export function createOrganizationResources({ db, projects }: { db: Database; projects: Projects }): ResourceHandler<'projects'> {
  return {
    type: organizationType,
    table: 'projects',

    target: async (context, id) =>
      targetWithin(context, await findOrganization(db.read, id), projectFacts, () => fail('project.not_found', { id })),

    render: async ({ base }, rows) => rows.map((row) => renderOrganization(row, base)),

    create({ caller }, domainId, input, extras: Extras = {}) {
      const body = {
        name: readName(input, 'name'),
        description: descriptionOf(input),
        enabled: input.active !== false,
        ...(input.isDefault === true ? { is_default: true } : {}),
      };
      return projects.create(caller, { domainId, parent: undefined }, body, { id: extras.id, externalId: externalIdOf(input) });
    },

    revise: ({ caller }, organization, revision, expect?: Precondition, extras: Extras = {}) =>
      projects.revise(caller, organization, (row) => {
        expect?.(row);
        const resource = revisedOrganization(row, revision);
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
      }),

    remove: ({ caller }, organization, expect) => projects.remove(caller, organization, expect),
  };
}
