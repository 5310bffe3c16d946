// scim token: the tokens of provisioning connections.

import type { ConnectionWithDomain } from '../identity/provisioning/scim/index.ts';
import { serviceActor } from '../platform/audit/index.ts';
import type { Command } from './command.ts';
import { print, settings, withReader, withService } from './support.ts';

function table(rows: readonly ConnectionWithDomain[]): string {
  const time = (at: number | null): string => (at === null ? 'never' : new Date(at * 1000).toISOString());
  const lines = rows.map((row) =>
    [row.id, row.domain_name, row.name, `made ${time(row.created_at)}`, `last used ${time(row.last_used_at)}`].join('\t'),
  );
  return lines.length > 0 ? lines.join('\n') : 'there are none';
}

const list = (): Promise<void> =>
  withReader(async (db) => {
    const { listConnections } = await import('../identity/provisioning/scim/index.ts');
    print(table(await listConnections(db)));
  });

export const scimTokenCommands: readonly Command[] = [
  {
    words: 'scim token create',
    about: 'create a provisioning connection of a domain, and print its token once',
    options: {
      domain: { value: 'DOMAIN', about: 'id or name of the domain', required: true },
      name: { value: 'NAME', about: 'a name for the connection' },
    },
    whileRunning: 'ask the running service: POST /v3/OS-SCIM/connections',
    run: ({ options: { domain, name } }) =>
      withService(settings(), async ({ connections }) => (await connections.create(serviceActor, domain!, name)).token),
  },
  {
    words: 'scim token list',
    about: 'list the connections, with the times of creation and last use',
    run: list,
  },
  {
    words: 'scim token revoke',
    about: 'revoke a connection immediately',
    args: [{ name: 'ID', about: 'id of the connection, from scim token list' }],
    whileRunning: 'ask the running service: DELETE /v3/OS-SCIM/connections/ID',
    run: ({ args: [id] }) =>
      withService(settings(), async ({ connections }) => {
        await connections.revoke(serviceActor, (await connections.target(id!)).get());
        return 'revoked';
      }),
  },
];
