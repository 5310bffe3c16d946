// After any sequence of creates, links, assignments and deletes nothing refers to a deleted thing, and both databases give the same
// answers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { TestApi } from './support/api.ts';
import { inFullRun } from './support/extent.ts';

type Kind = 'consumer' | 'role' | 'permission' | 'user' | 'organization';

/** A step of a sequence; numbers select among the things created so far. */
type Step =
  | { readonly do: 'create'; readonly kind: Kind; readonly of: number }
  | { readonly do: 'delete'; readonly kind: Kind; readonly which: number }
  | { readonly do: 'link'; readonly undo: boolean; readonly role: number; readonly permission: number }
  | {
      readonly do: 'assign';
      readonly undo: boolean;
      readonly user: number | undefined;
      readonly organization: number | undefined;
      readonly application: number;
      readonly role: number;
    };

const pick = fc.nat({ max: 3 });
const undo = fc.constantFrom(false, false, true);
const kinds = fc.constantFrom<Kind>('consumer', 'role', 'permission', 'user', 'organization');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('create' as const), kind: kinds, of: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), kind: kinds, which: pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('link' as const), undo, role: pick, permission: pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('assign' as const),
      undo,
      user: fc.option(pick, { nil: undefined }),
      organization: fc.option(pick, { nil: undefined }),
      application: pick,
      role: pick,
    }),
  },
);

/** One database of a run: its ids by names that both databases share. */
class Side {
  readonly api: TestApi;
  readonly ids = new Map<string, string>();
  readonly names = new Map<string, string>();
  #prefix = '';

  constructor(api: TestApi) {
    this.api = api;
  }

  begin(run: number): void {
    this.#prefix = `run${run}`;
    this.ids.clear();
    this.names.clear();
    for (const id of ['provider', 'purchaser']) this.keep(id, id);
  }

  keep(name: string, id: string): void {
    this.ids.set(name, id);
    this.names.set(id, name);
  }

  id(name: string): string {
    return this.ids.get(name) ?? 'nobody';
  }

  async create(kind: Kind, name: string, of: string): Promise<number> {
    const label = `${this.#prefix}-${name}`;
    const bodies: Record<Kind, [path: string, envelope: string, values: Record<string, unknown>]> = {
      consumer: ['/v3/OS-OAUTH2/consumers', 'consumer', { name: label }],
      role: ['/v3/OS-ROLES/roles', 'role', { name: label, application_id: this.id(of) }],
      permission: ['/v3/OS-ROLES/permissions', 'permission', { name: label, application_id: this.id(of) }],
      user: ['/v3/users', 'user', { name: label, default_project_id: this.ids.get(of) ?? null }],
      organization: ['/v3/projects', 'project', { name: label }],
    };
    const [path, envelope, values] = bodies[kind];
    const answer = await this.api.post(path, { [envelope]: values });
    if (answer.body?.[envelope]) this.keep(name, answer.body[envelope].id);
    return answer.status;
  }

  async remove(kind: Kind, name: string): Promise<number> {
    const paths: Record<Kind, string> = {
      consumer: 'OS-OAUTH2/consumers',
      role: 'OS-ROLES/roles',
      permission: 'OS-ROLES/permissions',
      user: 'users',
      organization: 'projects',
    };
    return (await this.api.delete(`/v3/${paths[kind]}/${this.id(name)}`)).status;
  }

  /** The content of all lists, with names instead of ids, so that both sides can be compared. */
  async seen(): Promise<Record<string, string[]>> {
    const named = (id: unknown): string => this.names.get(id as string) ?? 'unknown';
    const list = async (path: string, key: string): Promise<any[]> => (await this.api.get(path)).body[key];
    const ours = (rows: any[]): any[] => rows.filter((row) => String(row.name).startsWith(`${this.#prefix}-`));
    const [consumers, roles, permissions, users, organizations] = await Promise.all([
      list('/v3/OS-OAUTH2/consumers', 'consumers'),
      list('/v3/OS-ROLES/roles', 'roles'),
      list('/v3/OS-ROLES/permissions', 'permissions'),
      list('/v3/OS-ROLES/users/role_assignments', 'role_assignments'),
      list('/v3/OS-ROLES/organizations/role_assignments', 'role_assignments'),
    ]);
    const links = await Promise.all(
      ours(roles).map(async (role) =>
        (await list(`/v3/OS-ROLES/roles/${role.id}/permissions`, 'permissions')).map(
          (one) => `${named(role.id)} ${named(one.id)}`,
        ),
      ),
    );
    const parts = (row: any): string =>
      [row.user_id, row.organization_id, row.application_id, row.role_id].filter(Boolean).map(named).join(' ');
    // Named after what it refers to, even if that is deleted: names are kept until the next run.
    const ofThisRun = (row: any): boolean =>
      [row.user_id, row.organization_id, row.application_id].some((id) => this.names.has(id));
    return {
      consumers: ours(consumers)
        .map((row) => named(row.id))
        .sort(),
      roles: ours(roles)
        .map((row) => `${named(row.id)} ${named(row.application_id)}`)
        .sort(),
      permissions: ours(permissions)
        .map((row) => `${named(row.id)} ${named(row.application_id)}`)
        .sort(),
      links: links.flat().sort(),
      users: users.filter(ofThisRun).map(parts).sort(),
      organizations: organizations.filter(ofThisRun).map(parts).sort(),
    };
  }

  async cleanUp(living: ReadonlyMap<string, Kind>): Promise<void> {
    for (const kind of ['consumer', 'user', 'organization'] as const) {
      for (const [name, of] of living) if (of === kind) await this.remove(kind, name);
    }
  }
}

describe('References', () => {
  const sides = (['SQLite', 'PostgreSQL'] as const).map((kind) => new Side(new TestApi(kind)));
  before(() => Promise.all(sides.map((side) => side.api.start())));
  after(() => Promise.all(sides.map((side) => side.api.stop())));

  /** Sends the same request to both sides, which must answer the same. */
  async function both(what: (side: Side) => Promise<number>): Promise<number> {
    const [one, two] = await Promise.all(sides.map(what));
    assert.equal(one, two);
    assert.ok(one! < 500, `status ${one}`);
    return one!;
  }

  let run = 0;
  async function play(steps: readonly Step[]): Promise<void> {
    run++;
    for (const side of sides) side.begin(run);
    const made: Record<Kind, string[]> = { consumer: [], role: [], permission: [], user: [], organization: [] };
    const living = new Map<string, Kind>();
    const ownerOf = new Map<string, string>();
    const choose = (kind: Kind, index: number): string => made[kind][index % Math.max(1, made[kind].length)] ?? 'nobody';
    const roleNamed = (index: number): string => (index === 3 ? 'purchaser' : choose('role', index));

    for (const one of steps) {
      if (one.do === 'create') {
        const name = `${one.kind}${made[one.kind].length}`;
        const of = one.kind === 'user' ? choose('organization', one.of) : choose('consumer', one.of);
        if ((await both((side) => side.create(one.kind, name, of))) < 300) {
          made[one.kind].push(name);
          living.set(name, one.kind);
          if (one.kind === 'role' || one.kind === 'permission') ownerOf.set(name, of);
        }
      } else if (one.do === 'delete') {
        const name = choose(one.kind, one.which);
        if ((await both((side) => side.remove(one.kind, name))) < 300) {
          living.delete(name);
          for (const [part, owner] of ownerOf) if (owner === name) living.delete(part);
        }
      } else if (one.do === 'link') {
        const [role, permission] = [choose('role', one.role), choose('permission', one.permission)];
        const method = one.undo ? 'DELETE' : 'PUT';
        await both(
          async (side) =>
            (await side.api.request(method, `/v3/OS-ROLES/roles/${side.id(role)}/permissions/${side.id(permission)}`)).status,
        );
      } else {
        const method = one.undo ? 'DELETE' : 'PUT';
        const path = (side: Side): string => {
          const user = one.user === undefined ? '' : `/users/${side.id(choose('user', one.user))}`;
          const organization =
            one.organization === undefined && one.user !== undefined
              ? ''
              : `/organizations/${side.id(choose('organization', one.organization ?? 0))}`;
          return `/v3/OS-ROLES${user}${organization}/applications/${side.id(choose('consumer', one.application))}/roles/${side.id(roleNamed(one.role))}`;
        };
        await both(async (side) => (await side.api.request(method, path(side))).status);
      }
      const [left, right] = (await Promise.all(sides.map((side) => side.seen()))) as [
        Record<string, string[]>,
        Record<string, string[]>,
      ];
      assert.deepEqual(left, right, 'both databases agree');
      for (const [kind, rows] of Object.entries(left)) {
        for (const part of rows.flatMap((row) => row.split(' '))) {
          assert.ok(living.has(part) || part === 'purchaser', `${kind} shows ${part}, which is gone`);
        }
      }
    }
    await Promise.all(sides.map((side) => side.cleanUp(living)));
    const [left] = await Promise.all(sides.map((side) => side.seen()));
    assert.deepEqual(
      left,
      { consumers: [], roles: [], permissions: [], links: [], users: [], organizations: [] },
      'nothing is left over',
    );
  }

  it('hold in every sequence', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), play), { numRuns: inFullRun(25, 8) });
  });
});
