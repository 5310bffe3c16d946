// The form of a type of credentials: what goes into it, in the words of people who know no formats.
import { openForm } from '../../shared/dialog.ts';
import type { FormField, FormValues } from '../../shared/form.ts';
import { part } from '../../shared/router.ts';
import { shared } from '../../shared/words/index.ts';
import { linesOf } from '../applications/types.ts';
import { findApplications, findOrganizations, namesOf, namesOfApplications } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { CLAIMS, type CredentialType, FORMATS, TYPES } from './types.ts';

const DAY = 86_400;
const VALIDITIES = [DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY];
const DATA_MODELS = ['2.0', '1.1'];
const ID = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const TYPE_NAME = /^[A-Z][A-Za-z0-9]{0,63}$/;

export interface NamedRole {
  readonly id: string;
  readonly name: string;
}

/** `Trabajador/a municipal` is trabajador-a-municipal. */
const idFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');

type Place = keyof typeof words.credentials.placeChoices;
const placeOf = (type: CredentialType | undefined): Place =>
  type?.only_default_organization ? 'default' : type?.organizations ? 'some' : 'all';

/** Things that are found by their names; by those who may not list them: entered by their ids. */
async function thingsField(
  field: Pick<FormField, 'name' | 'label' | 'hint'>,
  ids: readonly string[],
  {
    mayFind,
    find,
    names,
  }: { mayFind: boolean; find: FormField['find']; names: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>> },
): Promise<FormField> {
  if (!mayFind)
    return { ...field, type: 'textarea', value: ids.join('\n'), hint: `${String(field.hint)} ${words.credentials.idsHint}` };
  const known = await names(ids);
  const allChosen = ids.map((id) => ({ value: id, label: known.get(id) ?? id }));
  return { ...field, type: 'picks', allChosen, ...(find ? { find } : {}) };
}

async function placeFields(applicationId: string, type: CredentialType | undefined): Promise<FormField[]> {
  const { credentials } = words;
  const choices = Object.entries(credentials.placeChoices);
  return [
    {
      name: 'place',
      label: credentials.places,
      type: 'select',
      required: true,
      value: placeOf(type),
      options: choices.map(([value, label]) => ({ value, label })),
    },
    await thingsField(
      { name: 'organizations', label: credentials.organizations, hint: credentials.organizationsHint },
      type?.organizations ?? [],
      {
        mayFind: session.may('identity:list_projects'),
        find: findOrganizations,
        names: (ids) => namesOf('projects', ids),
      },
    ),
    await thingsField({ name: 'targets', label: credentials.targets, hint: credentials.targetsHint }, type?.targets ?? [], {
      mayFind: true,
      find: async (text, signal) => (await findApplications(text, signal)).filter(({ value }) => value !== applicationId),
      names: (ids) => namesOfApplications(ids),
    }),
  ];
}

function contentFields(roles: readonly NamedRole[], type: CredentialType | undefined): FormField[] {
  const { credentials } = words;
  const validity = type?.validity_seconds ?? 30 * DAY;
  const validities = [...new Set([...VALIDITIES, validity])].sort((a, b) => a - b);
  return [
    { name: 'name', label: credentials.name, required: true, maxLength: 255, value: type?.name, hint: credentials.nameHint },
    {
      name: 'description',
      label: credentials.description,
      type: 'textarea',
      maxLength: 1000,
      value: type?.description,
      hint: credentials.descriptionHint,
    },
    {
      name: 'roles',
      label: credentials.rolesIn,
      type: 'checks',
      hint: roles.length === 0 ? credentials.noRoles : credentials.rolesHint,
      options: roles.map(({ id, name }) => ({ value: id, label: name })),
      values: type?.roles ?? [],
    },
    {
      name: 'claims',
      label: credentials.claims,
      type: 'checks',
      hint: credentials.claimsHint,
      options: CLAIMS.map((value) => ({ value, label: credentials.claimNames[value] })),
      values: type?.claims ?? [],
    },
    {
      name: 'subject',
      label: credentials.subject,
      type: 'select',
      required: true,
      value: type?.subject ?? 'none',
      hint: credentials.subjectHint,
      options: Object.entries(credentials.subjectChoices).map(([value, label]) => ({ value, label })),
    },
    {
      name: 'validity',
      attribute: 'validity_seconds',
      label: credentials.validity,
      type: 'select',
      required: true,
      value: validity,
      hint: credentials.validityHint,
      options: validities.map((seconds) => ({ value: String(seconds), label: credentials.duration(seconds) })),
    },
  ];
}

function technicalFields(type: CredentialType | undefined): FormField[] {
  const { credentials } = words;
  const id: FormField = {
    name: 'id',
    label: credentials.id,
    hint: credentials.idHint,
    maxLength: 64,
    check: (text) => (text === '' || ID.test(text) ? undefined : credentials.idWrong),
  };
  return [
    {
      name: 'formats',
      label: credentials.formats,
      type: 'checks',
      required: true,
      hint: credentials.formatsHint,
      options: FORMATS.map((value) => ({ value, label: credentials.formatNames[value] })),
      values: type?.formats ?? [FORMATS[0]],
    },
    {
      name: 'dataModel',
      attribute: 'data_model',
      label: credentials.dataModel,
      type: 'select',
      required: true,
      value: type?.data_model ?? DATA_MODELS[0]!,
      hint: credentials.dataModelHint,
      options: DATA_MODELS.map((value) => ({ value, label: value })),
    },
    {
      name: 'typeName',
      attribute: 'type',
      label: credentials.typeName,
      hint: credentials.typeNameHint,
      value: type?.type,
      maxLength: 64,
      check: (text) => (text === '' || TYPE_NAME.test(text) ? undefined : credentials.typeNameWrong),
    },
    ...(type ? [] : [id]),
  ];
}

/** What was ticked, picked, or entered line by line. */
function chosenIn(values: FormValues, name: string): string[] {
  return [...new Set(values.all(name).flatMap(linesOf))];
}

function typeIn(values: FormValues) {
  const place = values.text('place') as Place;
  const [roles, typeName] = [chosenIn(values, 'roles'), values.optional('typeName')];
  return {
    name: values.text('name'),
    description: values.text('description'),
    roles: roles.length === 0 ? null : roles,
    claims: chosenIn(values, 'claims'),
    subject: values.text('subject'),
    validity_seconds: Number(values.text('validity')),
    organizations: place === 'some' ? chosenIn(values, 'organizations') : null,
    only_default_organization: place === 'default',
    targets: chosenIn(values, 'targets'),
    formats: chosenIn(values, 'formats'),
    data_model: values.text('dataModel'),
    ...(typeName === undefined ? {} : { type: typeName }),
  };
}

/** Makes a type, or changes this one. The name of the type when it was done. */
export async function editType(
  applicationId: string,
  roles: readonly NamedRole[],
  type?: { readonly thing: CredentialType; readonly etag: string | undefined },
): Promise<string | undefined> {
  const { credentials } = words;
  let name = '';
  const isDone = await openForm({
    title: type ? credentials.changeTitle(type.thing.name) : credentials.create,
    text: type ? credentials.changeText : credentials.createText,
    fields: [
      ...contentFields(roles, type?.thing),
      ...(await placeFields(applicationId, type?.thing)),
      ...technicalFields(type?.thing),
    ],
    submitLabel: type ? credentials.change : shared.create,
    submit: async (values) => {
      const changes = typeIn(values);
      name = changes.name;
      if (type) {
        await api.patch(`${TYPES}/${part(type.thing.id)}`, { credential_type: changes }, { ifMatch: type.etag });
        return;
      }
      const id = values.optional('id') ?? idFrom(name);
      await api.post(TYPES, { credential_type: { id, application_id: applicationId, ...changes } });
    },
  });
  return isDone ? name : undefined;
}
