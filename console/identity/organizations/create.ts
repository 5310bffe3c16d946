// Asks for a new organization.
import { openForm } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { shared } from '../../shared/words/index.ts';
import { go } from '../frame.ts';
import { findDomains, findOrganizations, type Organization } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

/** Below a domain or an organization, if one is given. */
export async function createOrganization(
  parent: { readonly id: string; readonly name: string } | undefined,
  hasSeveralDomains: boolean,
): Promise<void> {
  const { organizations } = words;
  let created: Organization | undefined;
  const above = {
    name: 'parent',
    label: organizations.parent,
    hint: organizations.parentHint,
    type: 'pick' as const,
    find: findOrganizations,
  };
  const domain = { name: 'domain', label: organizations.domain, type: 'pick' as const, find: findDomains };
  const done = await openForm({
    title: parent ? organizations.newBelow(parent.name) : organizations.newOrganization,
    submitLabel: shared.create,
    fields: [
      { name: 'name', label: organizations.name, required: true, maxLength: 64 },
      { name: 'description', label: organizations.description, type: 'textarea' },
      ...(parent ? [] : [above]),
      ...(hasSeveralDomains && !parent ? [domain] : []),
    ],
    submit: async (values) => {
      const project = {
        name: values.text('name'),
        description: values.text('description'),
        parent_id: parent?.id ?? values.optional('parent'),
        domain_id: values.optional('domain'),
      };
      created = (await api.post<{ project: Organization }>('/v3/projects', { project })).project;
    },
  });
  if (!done || !created) return;
  announce(organizations.created(created.name));
  await go(`/organizations/${part(created.id)}`);
}
