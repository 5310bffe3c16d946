import assert from 'node:assert/strict';
import type { OpenStackClient } from '../client.ts';

interface Assignment {
  readonly Role: string;
  readonly User: string;
  readonly Group: string;
  readonly Project: string;
  readonly Domain: string;
  readonly System: string;
  readonly Inherited: boolean;
}

const short = ({ Role, User, Group, Project, Domain, System, Inherited }: Assignment): string =>
  `${Role} for ${User || Group} on ${Project || Domain || `system ${System}`}${Inherited ? ', inherited' : ''}`;
/** The whole list, whatever its order. */
const exactly =
  (...expected: readonly string[]) =>
  (list: readonly Assignment[]): void =>
    assert.deepEqual(list.map(short).sort(), [...expected].sort());

/** Creates every kind of grant, lists it by name and as an effective role, and removes it. */
export async function grants(client: OpenStackClient): Promise<void> {
  const { read, run } = { read: client.read.bind(client), run: client.run.bind(client) };
  await read('domain create east', 'a domain for grants', (domain) => assert.equal(domain.name, 'east'));
  await read('project create --domain east tower', 'a project in it', (project) => assert.equal(project.name, 'tower'));
  await read('project create --domain east --parent tower attic', 'a project below it', (project) =>
    assert.equal(project.name, 'attic'),
  );
  await read("user create --domain east --password 'a secret' carol", 'a user in it', (user) => assert.equal(user.name, 'carol'));
  await read('group create --domain east guards', 'a group in it', (group) => assert.equal(group.name, 'guards'));
  await run('group add user --group-domain east --user-domain east guards carol', 'the user is a member');

  const user = '--user carol --user-domain east';
  const group = '--group guards --group-domain east';
  const project = '--project tower --project-domain east';
  await run(`role add ${user} ${project} member`, 'a user on a project');
  await run(`role add ${group} ${project} service`, 'a group on a project');
  await run(`role add ${user} --domain east reader`, 'a user on a domain');
  await run(`role add ${group} --domain east member`, 'a group on a domain');
  await run(`role add ${user} --system all reader`, 'a user on the system');
  await run(`role add ${group} --system all reader`, 'a group on the system');
  await run(`role add ${user} --domain east --inherited owner`, 'a user on every project of a domain');
  await run(`role add ${group} ${project} --inherited basic`, 'a group on every project below one');

  await read(
    `role assignment list ${user} --names`,
    'every grant of the user',
    exactly(
      'member for carol@east on tower@east',
      'reader for carol@east on east',
      'reader for carol@east on system all',
      'owner for carol@east on east, inherited',
    ),
  );
  await read(
    `role assignment list ${group} --names`,
    'every grant of the group',
    exactly(
      'service for guards@east on tower@east',
      'member for guards@east on east',
      'reader for guards@east on system all',
      'basic for guards@east on tower@east, inherited',
    ),
  );
  await read(
    `role assignment list ${user} ${project} --effective --names`,
    'own, implied, from the group and inherited from the domain',
    exactly(
      'member for carol@east on tower@east',
      'reader for carol@east on tower@east',
      'service for carol@east on tower@east',
      'owner for carol@east on tower@east, inherited',
    ),
  );
  await read(
    `role assignment list ${user} --project attic --project-domain east --effective --names`,
    'inherited from the domain and from the project above',
    exactly('owner for carol@east on attic@east, inherited', 'basic for carol@east on attic@east, inherited'),
  );
  await read('role assignment list --role owner --names', 'filtered by role', exactly('owner for carol@east on east, inherited'));
  await read('role assignment list --auth-user --auth-project --names', 'of the caller, where the token is', (list) =>
    assert.ok(list.map(short).includes('admin for admin@Default on admin@Default')),
  );
  await read(
    `--os-username carol --os-password 'a secret' --os-user-domain-name east --os-project-name attic --os-project-domain-name east token issue`,
    'an inherited role gives a token',
    (token) => assert.ok(token.project_id),
  );

  await run(`role remove ${user} ${project} member`, 'a user on a project');
  await run(`role remove ${group} ${project} service`, 'a group on a project');
  await run(`role remove ${user} --domain east reader`, 'a user on a domain');
  await run(`role remove ${group} --domain east member`, 'a group on a domain');
  await run(`role remove ${user} --system all reader`, 'a user on the system');
  await run(`role remove ${group} --system all reader`, 'a group on the system');
  await run(`role remove ${user} --domain east --inherited owner`, 'a user on every project of a domain');
  await run(`role remove ${group} ${project} --inherited basic`, 'a group on every project below one');
  await read(`role assignment list ${user} --effective`, 'nothing is left', (list) => assert.deepEqual(list, []));
  await client.refused(`role remove ${user} ${project} member`, 'there is nothing to take away', /HTTP 404/);
}
