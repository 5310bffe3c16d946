// Makes the changes of a plan, one request after the other. Each is audited by the service. If one fails, those before it stay, and
// applying the file again goes on from there.
import { type Body, type Client, Refusal } from './client.ts';
import { labelOf } from './labels.ts';
import type { Change, Fields, Found, Key, Kind, Wanted } from './model.ts';
import { isSame, SECRET_FILE } from './plan.ts';
import { grantPath } from './read-grants.ts';
import { SETTINGS } from './read-providers.ts';
import type { Json } from './schema.ts';
import type { Secrets } from './secrets.ts';
import { pathId, type State } from './state.ts';
import { SetupError, shown } from './text.ts';

export interface Work {
  readonly state: State;
  readonly secrets: Secrets;
  /** Called after each change. */
  onDone(change: Change): void;
}

/** Names of fields in the API, where they differ. */
const API_NAMES: Partial<Record<Kind, Readonly<Record<string, string>>>> = {
  region: { parent: 'parent_region_id' },
  application_role: { internal: 'is_internal' },
  permission: { internal: 'is_internal' },
  protocol: { mapping: 'mapping_id' },
};
const ENVELOPES: Partial<Record<Kind, string>> = {
  organization: 'project',
  application: 'consumer',
  application_role: 'role',
};
const envelopeOf = (kind: Kind): string => ENVELOPES[kind] ?? kind;

function bodyOf(kind: Kind, fields: Fields): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'immutable') body.options = { immutable: value };
    else if (name.startsWith('attributes.')) body[name.slice('attributes.'.length)] = value;
    else body[API_NAMES[kind]?.[name] ?? name] = value;
  }
  return body;
}

/** What the API shows now for a field. */
function currentValue(kind: Kind, body: Body, name: string): Json {
  if (name === 'immutable') return (body.options as { immutable?: boolean } | undefined)?.immutable === true;
  const key = name.startsWith('attributes.') ? name.slice('attributes.'.length) : (API_NAMES[kind]?.[name] ?? name);
  return (body[key] ?? null) as Json;
}

const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

function idOf({ state }: Work, kind: Kind | 'user', key: Key): string {
  const id = state.idOf(kind, key);
  if (id === undefined) throw new SetupError(`there is no ${kind === 'user' ? 'user' : labelOf({ kind, key })} any more`);
  return id;
}

/** Creates by POST, and returns the new id. */
async function post({ state: { client } }: Work, path: string, kind: Kind, body: Record<string, unknown>): Promise<string> {
  const answer = await client.send('POST', path, { [envelopeOf(kind)]: body });
  return String((answer[envelopeOf(kind)] as Body).id);
}

/** One that is disabled is created enabled, because nothing can be created below a disabled one. It is disabled at the end. */
const enabledFirst = (fields: Fields): Fields => (fields.enabled === false ? without(fields, 'enabled', 'immutable') : fields);

async function createWithSecret(
  work: Work,
  { secretTo }: Wanted,
  create: () => Promise<{ id: string; secret: string }>,
): Promise<string> {
  const file = secretTo === undefined ? undefined : work.secrets.reserve(secretTo);
  let made: { id: string; secret: string };
  try {
    made = await create();
  } catch (error) {
    // Without an answer it may exist; applying the file again finds it, and the reserved file.
    if (error instanceof Refusal && error.status < 500) file?.release();
    throw error;
  }
  file?.write(made.secret);
  return made.id;
}

function createApplication(work: Work, wanted: Wanted): Promise<string> {
  return createWithSecret(work, wanted, async () => {
    const body = { name: wanted.key[0], ...bodyOf('application', wanted.fields) };
    const { consumer } = await work.state.client.send('POST', '/v3/OS-OAUTH2/consumers', { consumer: body });
    return { id: String((consumer as Body).id), secret: String((consumer as Body).secret) };
  });
}

function createConnection(work: Work, wanted: Wanted): Promise<string> {
  const [domain, name] = wanted.key;
  return createWithSecret(work, wanted, async () => {
    const body = { connection: { domain_id: idOf(work, 'domain', [domain!]), name } };
    const { connection } = await work.state.client.send('POST', '/v3/OS-SCIM/connections', body);
    return { id: String((connection as Body).id), secret: String((connection as Body).token) };
  });
}

/** The API takes several at once. */
async function createRegisteredLimit(work: Work, { key: [type, name, region, resource], fields }: Wanted): Promise<string> {
  const limit = {
    ...bodyOf('registered_limit', fields),
    service_id: idOf(work, 'service', [type!, name!]),
    region_id: region,
    resource_name: resource,
  };
  const answer = await work.state.client.send('POST', '/v3/registered_limits', { registered_limits: [limit] });
  return String((answer.registered_limits as Body[])[0]!.id);
}

async function put({ state: { client } }: Work, path: string, body?: unknown): Promise<string> {
  await client.send('PUT', path, body);
  return path;
}

const federation = (id: Key[number]): string => `/v3/OS-FEDERATION/identity_providers/${pathId(String(id))}`;

function createProvider(work: Work, { key: [id], fields }: Wanted): Promise<string> {
  const body = {
    ...bodyOf('identity_provider', without(fields, 'domain')),
    domain_id: idOf(work, 'domain', [fields.domain as string]),
  };
  return put(work, federation(id!), { identity_provider: body }).then(() => String(id));
}

/** PUT replaces all settings, so those that do not change are sent again. */
function putOpenid(work: Work, wanted: Wanted, found: Found | undefined, changed: Fields): Promise<string> {
  const { client_secret: _, ...kept } = found?.fields ?? {};
  const sends = 'client_secret' in changed || 'issuer' in changed;
  const secret =
    !sends || wanted.fields.client_secret === undefined ? undefined : wanted.secret ? work.secrets.read(wanted.secret) : null;
  const openid = { ...kept, ...without(changed, 'client_secret'), ...(secret === undefined ? {} : { client_secret: secret }) };
  return put(work, `${federation(wanted.key[0]!)}/openid`, { openid });
}

/** All settings, as `putOpenid` does. */
const putWalletSettings = (work: Work, { key: [id] }: Wanted, found: Found | undefined, changed: Fields): Promise<string> =>
  put(work, `${federation(id!)}/openid4vp`, { openid4vp: { ...found?.fields, ...changed } });

function putGrant(work: Work, { kind, key }: Wanted): Promise<string> {
  const actor = kind === 'group_grant' ? 'group' : 'user';
  const place = {
    organization: key[1] === 'organization' ? idOf(work, 'organization', [key[0]!, key[2]!]) : undefined,
    domain: key[1] === 'domain' ? idOf(work, 'domain', [key[0]!]) : undefined,
  };
  const id = idOf(work, actor, key.slice(3, 5));
  return put(work, grantPath(place, { kind: actor, id }, idOf(work, 'role', key.slice(5, 7)), key[7] === true));
}

function putAssignment(work: Work, { kind, key }: Wanted): Promise<string> {
  const user = kind === 'user_assignment' ? `users/${pathId(idOf(work, 'user', key.slice(5, 7)))}/` : '';
  const organization = pathId(idOf(work, 'organization', key.slice(3, 5)));
  const application = pathId(idOf(work, 'application', [key[0]!]));
  const role = pathId(idOf(work, 'application_role', key.slice(1, 3)));
  return put(work, `/v3/OS-ROLES/${user}organizations/${organization}/applications/${application}/roles/${role}`);
}

type Creator = (work: Work, wanted: Wanted) => Promise<string>;
const named = (fields: Fields, name: Key[number] | undefined, kind: Kind) => ({ name, ...bodyOf(kind, fields) });

const CREATE: Readonly<Record<Kind, Creator>> = {
  domain: (work, { key: [name], fields }) => post(work, '/v3/domains', 'domain', named(enabledFirst(fields), name, 'domain')),
  region: async (work, { key: [id], fields }) => {
    await put(work, `/v3/regions/${pathId(String(id))}`, { region: bodyOf('region', fields) });
    return String(id);
  },
  role: (work, { key: [domain, name], fields }) =>
    post(work, '/v3/roles', 'role', {
      ...named(fields, name, 'role'),
      ...(domain === null ? {} : { domain_id: idOf(work, 'domain', [domain!]) }),
    }),
  implied_role: (work, { key }) =>
    put(work, `/v3/roles/${pathId(idOf(work, 'role', key.slice(0, 2)))}/implies/${pathId(idOf(work, 'role', key.slice(2, 4)))}`),
  organization: (work, { key: [domain, name], fields }) =>
    post(work, '/v3/projects', 'organization', {
      ...named(enabledFirst(without(fields, 'parent')), name, 'organization'),
      domain_id: idOf(work, 'domain', [domain!]),
      ...(fields.parent === null ? {} : { parent_id: idOf(work, 'organization', [domain!, fields.parent as string]) }),
    }),
  group: (work, { key: [domain, name], fields }) =>
    post(work, '/v3/groups', 'group', { ...named(fields, name, 'group'), domain_id: idOf(work, 'domain', [domain!]) }),
  service: (work, { key: [type, name], fields }) =>
    post(work, '/v3/services', 'service', { type, ...named(fields, name, 'service') }),
  endpoint: (work, { key: [type, name, side, region], fields }) =>
    post(work, '/v3/endpoints', 'endpoint', {
      ...bodyOf('endpoint', fields),
      service_id: idOf(work, 'service', [type!, name!]),
      interface: side,
      region_id: region,
    }),
  registered_limit: createRegisteredLimit,
  application: createApplication,
  permission: (work, { key: [application, name], fields }) =>
    post(work, '/v3/OS-ROLES/permissions', 'permission', {
      ...named(fields, name, 'permission'),
      application_id: idOf(work, 'application', [application!]),
    }),
  application_role: (work, { key: [application, name], fields }) =>
    post(work, '/v3/OS-ROLES/roles', 'application_role', {
      ...named(fields, name, 'application_role'),
      application_id: idOf(work, 'application', [application!]),
    }),
  role_permission: (work, { key }) => {
    const role = pathId(idOf(work, 'application_role', key.slice(0, 2)));
    return put(work, `/v3/OS-ROLES/roles/${role}/permissions/${pathId(idOf(work, 'permission', key.slice(2, 4)))}`);
  },
  mapping: async (work, { key: [id], fields }) => {
    await put(work, `/v3/OS-FEDERATION/mappings/${pathId(String(id))}`, { mapping: fields });
    return String(id);
  },
  identity_provider: createProvider,
  protocol: (work, { key: [provider, id], fields }) =>
    put(work, `${federation(provider!)}/protocols/${pathId(String(id))}`, { protocol: bodyOf('protocol', fields) }),
  openid: (work, wanted) => putOpenid(work, wanted, undefined, wanted.fields),
  openid4vp: (work, wanted) => putWalletSettings(work, wanted, undefined, wanted.fields),
  scim_connection: createConnection,
  group_grant: putGrant,
  user_grant: putGrant,
  organization_assignment: putAssignment,
  user_assignment: putAssignment,
};

/** An earlier run was interrupted after the request, before the secret was written. The secret of an application can be read again; a token cannot. */
async function finishSecret(work: Work, { kind, found, wanted }: Change): Promise<void> {
  const { client } = work.state;
  if (kind === 'application') {
    const { consumer } = (await client.get(found!.url)).body;
    return work.secrets.reserve(wanted!.secretTo!).write(String((consumer as Body).secret));
  }
  await client.send('DELETE', found!.url);
  await createConnection(work, wanted!);
}

const changedMeanwhile = (name: string): SetupError =>
  new SetupError(`${shown(name, false)} was changed by somebody else meanwhile; plan again`);

/** Reads it again: what is changed must be what was planned. The ETag makes the service check it once more. */
async function unchanged(client: Client, { kind, found, fields }: Change): Promise<string | undefined> {
  const { body, etag } = await client.get(found!.url);
  const current = body[envelopeOf(kind)] as Body;
  for (const [name, { from }] of Object.entries(fields))
    if (name !== 'parent' && name !== 'domain' && !isSame(name, currentValue(kind, current, name), from))
      throw changedMeanwhile(name);
  return etag;
}

/** All settings are sent, so all must be what was planned. */
async function unchangedSettings(client: Client, kind: keyof typeof SETTINGS, { url, fields }: Found): Promise<void> {
  const { [kind]: settings } = (await client.get(url)).body;
  for (const [name, value] of Object.entries(SETTINGS[kind](settings as Body)))
    if (!isSame(name, value, fields[name])) throw changedMeanwhile(name);
}

async function patch(work: Work, change: Change, fields: Fields): Promise<void> {
  const { client } = work.state;
  const { kind, found, wanted } = change;
  const etag = await unchanged(client, change);
  const send = (values: Fields, tag?: string) =>
    client.send('PATCH', found!.url, { [envelopeOf(kind)]: bodyOf(kind, values) }, tag);
  // An immutable thing accepts nothing else together with the end of that.
  if (fields.immutable === false) await send({ immutable: false }, etag);
  const others = fields.immutable === false ? without(fields, 'immutable') : fields;
  if (Object.keys(others).length === 0) return;
  const complete = kind === 'mapping' ? wanted!.fields : others;
  await send(complete, fields.immutable === false ? undefined : etag);
}

/** It may be gone with something else that was deleted. */
async function remove(client: Client, { url }: Found): Promise<void> {
  try {
    await client.send('DELETE', url);
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  }
}

const isProject = ({ kind }: Change): boolean => kind === 'domain' || kind === 'organization';

/** Disabling waits until everything else is done. */
async function writeOne(work: Work, change: Change, later: (() => Promise<void>)[]): Promise<void> {
  const { action, kind, key, wanted, found } = change;
  const { client } = work.state;
  if (action === 'delete') return remove(client, found!);
  const fields = Object.fromEntries(Object.entries(change.fields).map(([name, { to }]) => [name, to ?? null]));
  const disables = isProject(change) && fields.enabled === false;
  if (action === 'create') {
    const id = await CREATE[kind](work, wanted!);
    work.state.setId(kind, key, id);
    if (!disables) return;
    const { immutable } = fields;
    const url = `/v3/${kind === 'domain' ? 'domains' : 'projects'}/${pathId(id)}`;
    const last = { enabled: false, ...(immutable === undefined ? {} : { immutable }) };
    later.push(async () => void (await client.send('PATCH', url, { [envelopeOf(kind)]: bodyOf(kind, last) })));
    return;
  }
  if (SECRET_FILE in fields) {
    await finishSecret(work, change);
    const { [SECRET_FILE]: _, ...others } = change.fields;
    return Object.keys(others).length === 0 ? undefined : writeOne(work, { ...change, fields: others }, later);
  }
  if (kind === 'openid' || kind === 'openid4vp') {
    await unchangedSettings(client, kind, found!);
    return void (await (kind === 'openid' ? putOpenid : putWalletSettings)(work, wanted!, found, fields));
  }
  if (!disables) return patch(work, change, fields);
  const now = without(fields, 'enabled', ...(fields.immutable === true ? ['immutable'] : []));
  if (Object.keys(now).length > 0) await patch(work, change, now);
  const last = { enabled: false, ...(fields.immutable === true ? { immutable: true } : {}) };
  later.push(async () => void (await client.send('PATCH', found!.url, { [envelopeOf(kind)]: bodyOf(kind, last) })));
}

/** `where`: the place of a change in the file, for messages. */
export async function writeChanges(work: Work, changes: readonly Change[], where: (change: Change) => string): Promise<void> {
  const later: { readonly change: Change; readonly steps: (() => Promise<void>)[] }[] = [];
  const run = async (change: Change, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      const why =
        error instanceof Refusal && error.status === 412 ? 'was changed by somebody else meanwhile; plan again' : error.message;
      throw new SetupError(`${where(change)}: ${labelOf(change)}: ${why}`);
    }
  };
  const finish = async (): Promise<void> => {
    // Children before their parents.
    for (const { change, steps } of later.splice(0).reverse()) for (const step of steps) await run(change, step);
  };
  for (const change of changes) {
    if (change.action === 'delete') await finish();
    const steps: (() => Promise<void>)[] = [];
    await run(change, () => writeOne(work, change, steps));
    if (steps.length > 0) later.push({ change, steps });
    work.onDone(change);
  }
  await finish();
}
