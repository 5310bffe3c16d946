// Reads identity providers with mappings, protocols and their settings; provisioning connections.
import type { Body } from './client.ts';
import type { Fields } from './model.ts';
import type { Json } from './schema.ts';
import { pathId, type State, textOf } from './state.ts';
import { shownWalletFields } from './wallet-provider.ts';
import { SECRET } from './wanted.ts';

const ROOT = '/v3/OS-FEDERATION';

export const openidFields = (body: Body): Fields => ({
  issuer: textOf(body, 'issuer'),
  client_id: textOf(body, 'client_id'),
  client_secret: body.has_client_secret === true ? SECRET : null,
  scopes: body.scopes as Json,
  button_name: (body.button_name ?? null) as Json,
  email_domains: body.email_domains as Json,
  trusts_email: body.trusts_email === true,
  whole_service: body.whole_service === true,
  may_give_admin: body.may_give_admin === true,
  accepts_tokens: body.accepts_tokens === true,
});

/** How people sign in by a provider, by protocol: what the service shows of the settings. */
export const SETTINGS = { openid: openidFields, openid4vp: shownWalletFields } as const;

async function addSettings(state: State, id: string, kind: keyof typeof SETTINGS): Promise<void> {
  const path = `${ROOT}/identity_providers/${pathId(id)}/${kind}`;
  const body = (await state.client.find(path))?.[kind] as Body | undefined;
  if (body) state.add({ kind, key: [id], id: path, url: path, fields: SETTINGS[kind](body) });
}

function addProtocol(state: State, provider: string, body: Body): void {
  const id = textOf(body, 'id');
  const path = `${ROOT}/identity_providers/${pathId(provider)}/protocols/${pathId(id)}`;
  const fields = { mapping: textOf(body, 'mapping_id'), remote_id_attribute: (body.remote_id_attribute ?? null) as Json };
  state.add({ kind: 'protocol', key: [provider, id], id: path, url: path, fields });
}

export async function readProviders(state: State): Promise<void> {
  const { client } = state;
  if (state.needs('mapping'))
    for (const body of await client.list(`${ROOT}/mappings`, 'mappings')) {
      const id = textOf(body, 'id');
      const fields = { rules: body.rules as Json, schema_version: textOf(body, 'schema_version') };
      state.add({ kind: 'mapping', key: [id], id, url: `${ROOT}/mappings/${pathId(id)}`, fields });
    }
  if (!state.needs('identity_provider')) return;
  const providers = await client.list(`${ROOT}/identity_providers`, 'identity_providers');
  for (const body of providers) {
    const id = textOf(body, 'id');
    state.add({
      kind: 'identity_provider',
      key: [id],
      id,
      url: `${ROOT}/identity_providers/${pathId(id)}`,
      fields: {
        domain: state.domainName(textOf(body, 'domain_id')),
        enabled: body.enabled === true,
        description: (body.description ?? null) as Json,
        remote_ids: body.remote_ids as Json,
        authorization_ttl: (body.authorization_ttl ?? null) as Json,
      },
    });
  }
  await client.each(providers, async ({ id }) => {
    const path = `${ROOT}/identity_providers/${pathId(String(id))}`;
    for (const body of await client.list(`${path}/protocols`, 'protocols')) addProtocol(state, String(id), body);
    await addSettings(state, String(id), 'openid');
    await addSettings(state, String(id), 'openid4vp');
  });
}

export async function readConnections(state: State): Promise<void> {
  const { body } = await state.client.get('/v3/OS-SCIM/connections');
  for (const connection of body.connections as Body[]) {
    const id = textOf(connection, 'id');
    const key = [state.domainName(textOf(connection, 'domain_id')), textOf(connection, 'name')];
    state.add({ kind: 'scim_connection', key, id, url: `/v3/OS-SCIM/connections/${pathId(id)}`, fields: {} });
  }
}
