// /v3/OS-SCIM/connections: provisioning connections, for administrators. The command line does the same while the service is stopped.

import { isoTime } from '../../../../platform/clock.ts';
import { t } from '../../../../platform/http/index.ts';
import type { IdentityApp } from '../../../access/rules/index.ts';
import type { ScimConnectionRow, ScimRequestRow } from '../../../ground/database/index.ts';
import { ListLinks, listOf, PAGE_DOCUMENTATION } from '../../../ground/resource/index.ts';
import type { Connections } from './connections.ts';
import { KEEP, KEEP_DAYS } from './requests.ts';

const tag = 'SCIM connections';
const path = '/v3/OS-SCIM/connections';

const Connection = t.object(
  {
    id: t.string(),
    name: t.string(),
    domain_id: t.string(),
    created_at: t.string(),
    last_used_at: t.nullable(t.string()),
  },
  {
    token: t.string({ description: 'Returned only when the connection is created.' }),
    failures: t.integer({
      description: `How many of its last requests failed in the last day. At most ${KEEP.failure}, because no more are kept. Only in lists.`,
    }),
  },
);
const ConnectionRequest = t.object(
  {
    id: t.string(),
    at: t.string(),
    method: t.string(),
    path: t.string({ description: 'Without ids, names and the query.' }),
    status: t.integer(),
    scim_type: t.nullable(t.string({ description: 'The kind of the error (RFC 7644, table 9).' })),
    detail: t.nullable(t.string({ description: 'What was wrong. Values that may name a person are left out.' })),
    milliseconds: t.nullable(t.integer()),
    request_id: t.nullable(t.string({ description: 'The client got it in a header, and the log of the service has it.' })),
  },
  {},
  {
    examples: [
      {
        id: '019c5d2b8c40000a6c1f0b7d2e934a58',
        at: '2026-11-16T08:10:00.000000Z',
        method: 'POST',
        path: '/scim/v2/Users',
        status: 409,
        scim_type: 'uniqueness',
        detail: 'Conflict occurred attempting to store user - Duplicate Entry found with name ….',
        milliseconds: 4,
        request_id: 'req-5b1f1c0e-4f0e-4f6c-8f0b-2c1d3e4f5a6b',
      },
    ],
  },
);
const REQUESTS_DOCUMENTATION = {
  query: { ...PAGE_DOCUMENTATION.query, outcome: 'Only success or failure.' },
};
const ConnectionEnvelope = t.envelope('connection', Connection);
const ConnectionList = t.object({ connections: t.array(Connection) });
const ConnectionRequestList = t.object({ links: ListLinks, requests: t.array(ConnectionRequest) });
const NewConnection = t.envelope(
  'connection',
  t.object({ domain_id: t.string({ minLength: 1, maxLength: 64 }) }, { name: t.string({ minLength: 1, maxLength: 255 }) }),
);

const time = (seconds: number): string => isoTime(seconds * 1000);

const render = ({ id, name, domain_id, created_at, last_used_at }: ScimConnectionRow) => ({
  id,
  name,
  domain_id,
  created_at: time(created_at),
  last_used_at: last_used_at === null ? null : time(last_used_at),
});

const renderRequest = ({ id, at, method, path, status, scim_type, detail, milliseconds, request_id }: ScimRequestRow) => ({
  id,
  at: time(at),
  method,
  path,
  status,
  scim_type,
  detail,
  milliseconds,
  request_id,
});

export function mountConnections(app: IdentityApp, { connections }: { connections: Connections }): void {
  const rule = 'identity:manage_scim_connections';

  app.get(
    path,
    { id: 'listScimConnections', summary: 'List provisioning connections', tag, rule, reply: { 200: ConnectionList } },
    async () => ({
      connections: (await connections.list()).map((row) => ({ ...render(row), failures: row.failures })),
    }),
  );

  app.post(
    path,
    {
      id: 'createScimConnection',
      summary: 'Create a provisioning connection',
      description: 'Answers with the bearer token, which is shown only here. It may do in one domain what provisioning needs.',
      tag,
      rule,
      body: NewConnection,
      reply: { 201: ConnectionEnvelope },
    },
    async ({ caller, body: { connection } }) => {
      const { row, token } = await connections.create(caller, connection.domain_id, connection.name);
      return { connection: { ...render(row), token } };
    },
  );

  app.get(
    `${path}/:connection_id`,
    {
      id: 'getScimConnection',
      summary: 'Show a provisioning connection',
      tag,
      rule,
      target: ({ params }) => connections.target(params.connection_id),
      reply: { 200: ConnectionEnvelope },
    },
    ({ target }) => ({ connection: render(target) }),
  );

  app.get(
    `${path}/:connection_id/requests`,
    {
      id: 'listScimConnectionRequests',
      summary: 'List the last requests of a provisioning connection',
      description: `The newest first: ${KEEP.failure} failed and ${KEEP.success} others of the last ${KEEP_DAYS} days.`,
      tag,
      rule,
      target: ({ params }) => connections.target(params.connection_id),
      documentation: REQUESTS_DOCUMENTATION,
      reply: { 200: ConnectionRequestList },
    },
    async (call) => {
      const page = await connections.requests(call.target, call.query);
      return listOf(call, 'requests', { ...page, items: page.items.map(renderRequest) });
    },
  );

  app.delete(
    `${path}/:connection_id`,
    {
      id: 'deleteScimConnection',
      summary: 'Delete a provisioning connection',
      tag,
      rule,
      target: ({ params }) => connections.target(params.connection_id),
      reply: { 204: null },
    },
    ({ caller, target }) => connections.revoke(caller, target),
  );
}

t.name({
  ScimConnectionEnvelope: ConnectionEnvelope,
  ScimConnectionList: ConnectionList,
  ScimConnectionRequestList: ConnectionRequestList,
  ScimConnection: Connection,
  ScimConnectionRequest: ConnectionRequest,
  CreateScimConnection: NewConnection,
});
