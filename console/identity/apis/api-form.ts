// The form of an API, for a new one and for a change.
import type { FormField, FormValues } from '../../shared/form.ts';
import { findApplications, namesOfApplications } from '../resources.ts';
import { words } from '../words/index.ts';
import type { RegisteredApi } from './types.ts';

/** As the service has it; it decides again. */
const isIdentifier = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.hash === '' && ['https:', 'http:', 'urn:'].includes(url.protocol);
};

export async function apiFields(present?: RegisteredApi): Promise<FormField[]> {
  const { apis } = words;
  const listed = present?.applications ?? [];
  const own = present?.application_id;
  const names = await namesOfApplications([...listed, ...(own ? [own] : [])]);
  const choice = (id: string) => ({ value: id, label: names.get(id) ?? id });
  return [
    { name: 'name', label: apis.name, required: true, maxLength: 255, value: present?.name, hint: apis.nameHint },
    {
      name: 'identifier',
      label: apis.identifier,
      required: true,
      maxLength: 255,
      value: present?.identifier,
      readOnly: present !== undefined,
      hint: present ? apis.identifierFixed : apis.identifierHint,
      check: (text) => (text === '' || isIdentifier(text) ? undefined : apis.identifierWrong),
    },
    { name: 'description', label: apis.description, type: 'textarea', maxLength: 2000, value: present?.description ?? '' },
    {
      name: 'application',
      attribute: 'application_id',
      label: apis.application,
      type: 'pick',
      find: findApplications,
      chosen: own ? choice(own) : undefined,
      hint: apis.applicationHint,
    },
    {
      name: 'who',
      label: apis.whoMayAsk,
      type: 'select',
      required: true,
      value: present && present.applications === null ? 'all' : 'some',
      options: [
        { value: 'some', label: apis.someApplications },
        { value: 'all', label: apis.allApplications },
      ],
    },
    {
      name: 'applications',
      label: apis.applications,
      type: 'picks',
      find: findApplications,
      allChosen: listed.map(choice),
      hint: apis.applicationsHint,
    },
    {
      name: 'format',
      attribute: 'token_format',
      label: apis.tokenFormat,
      type: 'select',
      required: true,
      value: present?.token_format ?? 'jwt',
      options: (['jwt', 'opaque'] as const).map((value) => ({ value, label: apis.tokenFormats[value] })),
      hint: apis.tokenFormatHint,
    },
    {
      name: 'lifetime',
      attribute: 'token_lifetime',
      label: apis.tokenLifetime,
      type: 'number',
      value: present?.token_lifetime ?? '',
      hint: apis.tokenLifetimeHint,
    },
  ];
}

/** What the form says, but for the identifier, which never changes. */
export function apiIn(values: FormValues) {
  const lifetime = values.optional('lifetime');
  return {
    name: values.text('name'),
    description: values.optional('description') ?? null,
    application_id: values.optional('application') ?? null,
    applications: values.text('who') === 'all' ? null : [...values.all('applications')],
    token_format: values.text('format'),
    token_lifetime: lifetime === undefined ? null : Number(lifetime),
  };
}
