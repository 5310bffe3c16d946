// Calls the operations of both SCIM APIs.
import type { Recorder } from './recorder.ts';

const SCIM = 'urn:ietf:params:scim:schemas:core:2.0';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0';
const ORGANIZATION = 'urn:fiware:params:scim:schemas:core:2.0:Organization';

/** The roles that a connection may assign are those of applications of its domain; this town has none. */
const OFFERED_ROLE = {
  schemas: ['urn:okta:scim:schemas:core:1.0:Role'],
  id: 'e1d6a0c5b2f34e0c9a7d5f1b8c6e4d20',
  displayName: 'Purchaser',
};

export async function tourScim(api: Recorder, ada: string): Promise<void> {
  const call = api.call.bind(api);
  for (const path of [
    'ServiceProviderConfig',
    'ResourceTypes',
    'Schemas',
    'ResourceTypes/User',
    `Schemas/${SCIM}:User`,
    'Roles',
    'Entitlements',
    'Me',
  ])
    await call('GET', `/scim/v2/${path}`);
  const { Resources: kinds } = await call('GET', '/scim/v2/ResourceTypes', { unrecorded: true });
  const organization =
    (kinds as { name: string; schema: string }[]).find(({ name }) => name === 'Organization')?.schema ?? ORGANIZATION;
  for (const kind of ['Roles', 'Entitlements']) {
    const { Resources: offers } = await call('GET', `/scim/v2/${kind}`, { unrecorded: true });
    if (offers[0]) await call('GET', `/scim/v2/${kind}/${offers[0].id}`);
    else api.addExample('GET', `/scim/v2/${kind}/one`, undefined, { 200: OFFERED_ROLE });
  }
  const bodies: Readonly<Record<string, readonly [object, object]>> = {
    Users: [
      {
        schemas: [`${SCIM}:User`],
        userName: 'ramon',
        name: { givenName: 'Ramon', familyName: 'Llull' },
        emails: [{ value: 'ramon@town.example', type: 'work', primary: true }],
        active: true,
      },
      { op: 'replace', path: 'title', value: 'Librarian' },
    ],
    Groups: [
      { schemas: [`${SCIM}:Group`], displayName: 'Readers', members: [{ value: ada }] },
      { op: 'replace', path: 'displayName', value: 'All readers' },
    ],
    Organizations: [
      { schemas: [organization], name: 'Museum', description: 'The museum of the town' },
      { op: 'replace', path: 'description', value: 'Open on Sundays' },
    ],
  };
  for (const [kind, [body, change]] of Object.entries(bodies)) {
    const made = await call('POST', `/scim/v2/${kind}`, { body });
    await call('GET', `/scim/v2/${kind}?count=2`);
    await call('GET', `/scim/v2/${kind}/${made.id}`);
    await call('PUT', `/scim/v2/${kind}/${made.id}`, { body });
    await call('PATCH', `/scim/v2/${kind}/${made.id}?attributes=id`, {
      body: { schemas: [`${MESSAGES}:PatchOp`], Operations: [change] },
    });
    await call('POST', `/scim/v2/${kind}/.search`, { body: { schemas: [`${MESSAGES}:SearchRequest`], count: 2 } });
  }
  await call('POST', '/scim/v2/.search', {
    body: { schemas: [`${MESSAGES}:SearchRequest`], filter: 'meta.resourceType eq "User"', count: 2 },
  });
  await call('POST', '/scim/v2/Bulk', {
    body: {
      schemas: [`${MESSAGES}:BulkRequest`],
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'alan', data: { schemas: [`${SCIM}:User`], userName: 'alan' } }],
    },
  });
  const me = { schemas: [`${SCIM}:User`], userName: 'admin', displayName: 'Administrator' };
  await call('PUT', '/scim/v2/Me', { body: me });
  await call('PATCH', '/scim/v2/Me?attributes=id', {
    body: { schemas: [`${MESSAGES}:PatchOp`], Operations: [{ op: 'replace', path: 'displayName', value: 'The administrator' }] },
  });
  await tourKeyrockScim(api);
  const { connection } = await call('POST', '/v3/OS-SCIM/connections', {
    body: { connection: { domain_id: 'default', name: 'The directory of the town' } },
  });
  await call('GET', '/v3/OS-SCIM/connections');
  await call('GET', `/v3/OS-SCIM/connections/${connection.id}`);
  await call('GET', `/v3/OS-SCIM/connections/${connection.id}/requests`);
}

async function tourKeyrockScim(api: Recorder): Promise<void> {
  const call = api.call.bind(api);
  for (const [at, prefix] of ['/v3/OS-SCIM', '/v3/OS-SCIM/v1', '/v3/OS-SCIM/v2'].entries()) {
    await call('GET', `${prefix}/ServiceProviderConfigs`);
    const schemas = (type: string) => [prefix.endsWith('v2') ? `${SCIM}:${type}` : 'urn:scim:schemas:core:1.0'];
    const bodies: Readonly<Record<string, readonly [object, object]>> = {
      Users: [
        {
          schemas: schemas('User'),
          userName: `barbara${at}`,
          displayName: 'Barbara Liskov',
          password: 'the password of barbara',
        },
        { displayName: 'B. Liskov' },
      ],
      Groups: [{ schemas: schemas('Group'), displayName: `Guides ${at}` }, { displayName: `Guides of the town ${at}` }],
      ...(at === 2
        ? {
            Organizations: [
              { schemas: schemas('Organization'), name: 'Theatre', description: 'Plays' },
              { description: 'Plays and music' },
            ] as const,
          }
        : {}),
    };
    for (const [kind, [body, change]] of Object.entries(bodies)) {
      const made = await call('POST', `${prefix}/${kind}`, { body });
      await call('GET', `${prefix}/${kind}?count=2`);
      await call('GET', `${prefix}/${kind}/${made.id}`);
      await call('PUT', `${prefix}/${kind}/${made.id}`, { body: { ...body, ...change } });
      await call('PATCH', `${prefix}/${kind}/${made.id}`, { body: { schemas: schemas(kind.slice(0, -1)), ...change } });
    }
    const role = await call('POST', `${prefix}/Roles`, {
      body: { schemas: schemas('Role'), name: `guide${at}`, domain_id: 'default' },
    });
    await call('GET', `${prefix}/Roles`);
    await call('GET', `${prefix}/Roles/${role.id}`);
    for (const method of ['PUT', 'PATCH'])
      await call(method, `${prefix}/Roles/${role.id}`, {
        body: { schemas: schemas('Role'), name: `guide-${method.toLowerCase()}-${at}` },
      });
  }
}
