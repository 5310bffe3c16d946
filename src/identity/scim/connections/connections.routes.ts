// /v3/OS-SCIM/connections: provisioning connections, for administrators. The command line does the same while the service is stopped.

import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/index.ts';
import type { ScimConnectionRow } from '../../database.ts';
import type { Connections } from './connections.ts';

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
  { token: t.string({ description: 'Returned only when the connection is created.' }) },
);
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

export function mountConnections(app: IdentityApp, { connections }: { connections: Connections }): void {
  const rule = 'identity:manage_scim_connections';

  app.get(
    path,
    { summary: 'List provisioning connections', tag, rule, reply: { 200: t.object({ connections: t.array(Connection) }) } },
    async () => ({ connections: (await connections.list()).map(render) }),
  );

  app.post(
    path,
    {
      summary: 'Create a provisioning connection',
      tag,
      rule,
      body: NewConnection,
      reply: { 201: t.envelope('connection', Connection) },
    },
    async ({ caller, body: { connection } }) => {
      const { row, token } = await connections.create(caller, connection.domain_id, connection.name);
      return { connection: { ...render(row), token } };
    },
  );

  app.delete(
    `${path}/:connection_id`,
    {
      summary: 'Delete a provisioning connection',
      tag,
      rule,
      target: ({ params }) => connections.target(params.connection_id),
      reply: { 204: null },
    },
    ({ caller, target }) => connections.revoke(caller, target),
  );
}
