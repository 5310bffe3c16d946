// Invites somebody by e-mail. What the invitation names is given when it is accepted.
import { openForm } from '../../shared/dialog.ts';
import type { FormField } from '../../shared/form.ts';
import { LANGUAGES } from '../../shared/languages.ts';
import type { Choice } from '../../shared/pick.ts';
import { announce } from '../../shared/status.ts';
import {
  domainNames,
  findApplicationRoles,
  findApplications,
  findDomains,
  findGroups,
  findOrganizations,
  findRoles,
  type Organization,
} from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';

interface InviteOptions {
  readonly organization?: Organization;
  /** The id of an application: the person gets a role of it. */
  readonly toApplication?: string;
}

const languageOptions = Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }));

/** The organization, if there is but one to choose. */
async function onlyOrganization(): Promise<Choice | undefined> {
  if (!session.may('identity:list_projects')) return undefined;
  const [first, ...others] = await findOrganizations('', new AbortController().signal);
  return others.length === 0 ? first : undefined;
}

/** True when it was sent. */
export async function invite({ organization, toApplication }: InviteOptions = {}): Promise<boolean> {
  const { people } = words;
  const hasSeveralDomains = (await domainNames()).size > 1;
  const domain = { name: 'domain', label: people.domain, hint: people.domainHint, type: 'pick' as const, find: findDomains };
  let applicationId = toApplication;
  let email = '';
  const place: FormField = {
    name: 'organization',
    label: people.organization,
    type: 'pick',
    find: findOrganizations,
    chosen: organization ? { value: organization.id, label: organization.name } : undefined,
  };
  const applicationRole: FormField = {
    name: 'applicationRole',
    label: people.applicationRole,
    type: 'pick',
    find: (text, signal) => findApplicationRoles(applicationId, text, signal),
  };
  const fields: readonly FormField[] = toApplication
    ? [
        ...(hasSeveralDomains ? [domain] : []),
        { ...place, required: true, hint: people.organizationOfRoleHint, chosen: await onlyOrganization() },
        { ...applicationRole, required: true },
      ]
    : [
        { name: 'name', label: people.proposedName, hint: people.proposedNameHint, maxLength: 255 },
        {
          name: 'language',
          label: people.mailLanguage,
          type: 'select',
          options: [{ value: '', label: people.anyLanguage }, ...languageOptions],
        },
        ...(hasSeveralDomains && !organization ? [domain] : []),
        place,
        { name: 'role', label: people.roleThere, hint: people.roleThereHint, type: 'pick', find: findRoles },
        {
          name: 'application',
          label: people.application,
          hint: people.applicationHint,
          type: 'pick',
          find: findApplications,
          onChange: (id) => {
            applicationId = id;
          },
        },
        { ...applicationRole, hint: people.applicationRoleHint },
        { name: 'group', label: people.group, type: 'pick', find: findGroups },
      ];
  const sent = await openForm({
    title: people.invite,
    text: people.inviteText,
    submitLabel: people.sendInvitation,
    fields: [{ name: 'email', label: people.email, type: 'email', required: true, maxLength: 320 }, ...fields],
    submit: async (values) => {
      email = values.text('email');
      const [application, role] = [toApplication ?? values.optional('application'), values.optional('applicationRole')];
      const group = values.optional('group');
      await api.post('/v3/OS-REGISTRATION/invitations', {
        invitation: {
          email,
          name: values.optional('name'),
          language: values.optional('language'),
          domain_id: values.optional('domain') ?? organization?.domain_id ?? undefined,
          organization_id: values.optional('organization'),
          role_id: values.optional('role'),
          ...(group ? { groups: [group] } : {}),
          // One without the other is refused by the service, and not left out: the person would wait for it in vain.
          ...(application || role ? { application_roles: [{ application_id: application, role_id: role }] } : {}),
        },
      });
    },
  });
  if (sent) announce(people.invited(email));
  return sent;
}
