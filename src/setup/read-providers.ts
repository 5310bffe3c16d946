// Reads identity providers with mappings, protocols and OpenID settings; provisioning connections.
import type { Body } from './client.ts';
import type { Fields } from './model.ts';
import type { Json } from './schema.ts';
import { pathId, type State, textOf } from './state.ts';
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

function addOpenid(state: State, id: string, body: Body): void {
  const path = `${ROOT}/identity_providers/${pathId(id)}/openid`;
  state.add({ kind: 'openid', key: [id], id: path, url: path, fields: openidFields(body) });
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
    const openid = (await client.find(`${path}/openid`))?.openid as Body | undefined;
    if (openid) addOpenid(state, String(id), openid);
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
