// What wallets can receive about the roles of an application, and what credentials call the application.
import { t } from '../../platform/http/index.ts';
import { ISSUED_FORMAT_NAMES } from '../../verifiable/issuing/index.ts';
import type { Body } from '../client.ts';
import type { Json, Key } from '../model.ts';
import { pathId, type State, textOf } from '../state.ts';
import { type Field, type KindDefinition, type NameInDomain, type Referring, ruleOf } from './kind.ts';
import {
  AnyName,
  enabled,
  isInScope,
  labelOfApplication,
  nameKey,
  nameOf,
  OrganizationReference,
  type PartRef,
  PartReference,
  partKey,
  partReference,
  quote,
} from './shared.ts';

const TYPES = '/v3/OS-ROLE-CREDENTIALS/types';
const CLAIMS = ['name', 'email', 'given_name', 'family_name', 'preferred_username', 'organization'];

type References = readonly Json[] | null;
/** Their order means nothing. */
const inOrder = (all: References): References =>
  all?.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) ?? null;

/** Ids in the API, names in a file. Null: all of them. `find`: undefined for what was deleted meanwhile. */
const references = (
  field: Field,
  name: string,
  find: (state: State, id: string, body: Body) => Json | undefined,
  idOf: (said: never, { ids, key }: Referring) => string,
): Field => ({
  ...field,
  read(body, state) {
    const ids = body[name] as readonly string[] | null;
    return inOrder(ids?.flatMap((id) => find(state, id, body) ?? []) ?? null);
  },
  stored: inOrder,
  send: (all, referring) => (all as readonly never[] | null)?.map((said) => idOf(said, referring)) ?? null,
});

const organizationOf = (state: State, id: string): Json | undefined => {
  const key = state.keyOf('organization', id);
  return key && (nameOf(key) as Json);
};

const FIELDS: Readonly<Record<string, Field>> = {
  name: { schema: AnyName, isRequired: true },
  description: { schema: t.string({ maxLength: 1000 }), initial: '' },
  type: {
    schema: t.string({ minLength: 1, maxLength: 64, description: 'Its type in W3C formats. By default made from the id.' }),
  },
  formats: { schema: t.array(t.oneOf(...ISSUED_FORMAT_NAMES), { minItems: 1, uniqueItems: true }), isSet: true },
  data_model: { schema: t.oneOf('2.0', '1.1'), initial: '2.0' },
  validity_seconds: { schema: t.integer({ minimum: 60 }) },
  claims: { schema: t.array(t.oneOf(...CLAIMS), { uniqueItems: true }), initial: [], isSet: true },
  subject: {
    schema: { ...t.oneOf('none', 'user'), description: 'What it calls its holder: nothing, or the id of the user.' },
    initial: 'none',
  },
  roles: references(
    {
      schema: t.nullable(t.array(PartReference, { maxItems: 100, description: 'The roles that may be in it; null: all.' })),
      initial: null,
    },
    'roles',
    (state, id, body) => {
      const [key, application] = [
        state.keyOf('application_role', id),
        state.keyOf('application', textOf(body, 'application_id')),
      ];
      return key && application && (partReference(application[0]!, key) as Json);
    },
    (role: PartRef, { ids, key: [application] }) => ids('application_role', partKey(application!, role)),
  ),
  organizations: references(
    {
      schema: t.nullable(t.array(OrganizationReference, { maxItems: 100, description: 'Only roles in these; null: in all.' })),
      initial: null,
    },
    'organizations',
    organizationOf,
    (organization: NameInDomain, { ids }) => ids('organization', nameKey(organization)),
  ),
  only_default_organization: {
    schema: t.boolean({ description: 'Only roles in the default organization of the holder.' }),
    initial: false,
  },
  targets: references(
    { schema: t.array(AnyName, { maxItems: 20, description: 'Further applications whose roles are in it.' }), initial: [] },
    'targets',
    (state, id) => state.keyOf('application', id)?.[0],
    (target: string, { ids }) => ids('application', [target]),
  ),
  enabled,
};

interface CredentialTypeEntry {
  readonly id: string;
  readonly roles?: readonly PartRef[] | null;
  readonly organizations?: readonly NameInDomain[] | null;
  readonly targets?: readonly string[];
}

export const credential_type: KindDefinition = {
  label: ([application, id]) => `credential type ${quote(id)} of ${labelOfApplication(application)}`,
  required: {
    id: t.string({
      pattern: '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$',
      description: 'Part of the address of the type. Another id is another type.',
    }),
  },
  fields: FIELDS,
  keyOf({ id, roles, organizations, targets }: CredentialTypeEntry, [application], { refer, refuse }) {
    for (const [at, role] of (roles ?? []).entries()) {
      if (typeof role !== 'string' && role.application === application)
        refuse('is a role of this application: its name is enough', 'roles', at);
      refer('application_role', partKey(application!, role), 'roles', at);
    }
    for (const [at, one] of (organizations ?? []).entries()) refer('organization', nameKey(one), 'organizations', at);
    for (const [at, target] of (targets ?? []).entries()) refer('application', [target], 'targets', at);
    return [application!, id];
  },
  entryOf: ([, id]) => ({ id }),
  collection: TYPES,
  needs: ['application', 'application_role', 'organization'],
  async read(state) {
    for (const body of await state.client.list(TYPES, 'credential_types')) {
      const application = state.keyOf('application', textOf(body, 'application_id'));
      if (!application || !isInScope(state, application[0]!)) continue;
      for (const id of (body.organizations as readonly string[] | null) ?? []) {
        const key = await state.lookUp('organization', id);
        if (key) state.remember('organization', id, key);
      }
      state.add('credential_type', [application[0]!, textOf(body, 'id')], body);
    }
  },
  body: ([application, id], ids) => ({ id, application_id: ids('application', [application!]) }),
  rule: ruleOf('*_credential_type'),
  subject: ({ key: [application], found }, id) =>
    found ? { type_id: found.id } : { application_id: id('application', [application!]) },
};

const targetPath = (application: string): string => `/v3/OS-ROLE-CREDENTIALS/targets/${pathId(application)}`;

export const credential_target: KindDefinition = {
  label: ([application]) => `DID of ${labelOfApplication(application)} in credentials`,
  about: 'What credentials call the application: its DID instead of its id.',
  fields: { did: { schema: t.string({ minLength: 1, maxLength: 255 }), isRequired: true } },
  keyOf: (_entry: unknown, above: Key) => above,
  entryOf: () => ({}),
  envelope: 'target',
  needs: ['application'],
  async read(state) {
    const all = state.items.filter(({ kind, key }) => kind === 'application' && isInScope(state, key[0]!));
    await state.client.each(all, async ({ id, key }) => {
      const url = targetPath(id);
      const body = (await state.client.find(url))?.target as Body | undefined;
      if (body) state.add('credential_target', key, body, { url });
    });
  },
  address: ([application], ids) => targetPath(ids('application', [application!])),
  whole: (target) => target,
  rule: () => 'set_credential_target',
  subject: ({ key: [application] }, id) => ({ application_id: id('application', [application!]) }),
};
