import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';

type Kind = 'user' | 'group' | 'project' | 'domain' | 'role';

onBothDatabases('Role assignments', (api) => {
  /** What the tests are about, by names that stand in the expected lists. */
  const things: Record<string, { kind: Kind; id: string; name: string; domain_id: string | null }> = {};
  const id = (name: string): string => things[name]!.id;

  async function make(name: string, kind: Kind, values: Record<string, unknown> = {}): Promise<void> {
    things[name] = { kind, ...(await api.make(kind, { name: uniqueName(name), ...values })) };
  }

  // One of each way to hold a role: Ann and a group with Bob in it, on a domain, a project, its child, and the system.
  before(async () => {
    await make('acme', 'domain');
    await make('shop', 'project', { domain_id: id('acme') });
    await make('till', 'project', { parent_id: id('shop') });
    await make('ann', 'user', { domain_id: id('acme') });
    await make('bob', 'user', { domain_id: id('acme') });
    await make('staff', 'group', { domain_id: id('acme') });
    await make('boss', 'role');
    await make('clerk', 'role');
    await make('cleaner', 'role', { domain_id: id('acme') });
    assertOk(await api.put(`/v3/groups/${id('staff')}/users/${id('bob')}`), 204);
    assertOk(await api.put(`/v3/roles/${id('boss')}/implies/${id('clerk')}`), 201);
    assertOk(await api.put(`/v3/roles/${id('cleaner')}/implies/${id('clerk')}`), 201);
    for (const path of [
      `projects/${id('shop')}/users/${id('ann')}/roles/${id('boss')}`,
      `OS-INHERIT/domains/${id('acme')}/users/${id('ann')}/roles/${id('clerk')}/inherited_to_projects`,
      `system/users/${id('ann')}/roles/${id('clerk')}`,
      `domains/${id('acme')}/groups/${id('staff')}/roles/${id('boss')}`,
      `OS-INHERIT/projects/${id('shop')}/groups/${id('staff')}/roles/${id('boss')}/inherited_to_projects`,
      `projects/${id('till')}/users/${id('bob')}/roles/${id('cleaner')}`,
      `system/groups/${id('staff')}/roles/${id('clerk')}`,
    ]) {
      assertOk(await api.put(`/v3/${path}`), 204);
    }
  });

  const nameOf = (thing: { id: string } | undefined): string | undefined =>
    Object.entries(things).find(([, { id: one }]) => one === thing?.id)?.[0];

  /** `ann boss shop`, with `below` for what is inherited. Grants of other tests are left out. */
  function summary({ user, group, role, scope }: any): string | undefined {
    const actor = nameOf(user ?? group);
    if (!actor) return undefined;
    const place = scope.system ? 'system' : nameOf(scope.project ?? scope.domain);
    const inherited = 'OS-INHERIT:inherited_to' in scope ? ` below(${scope['OS-INHERIT:inherited_to']})` : '';
    return `${actor} ${nameOf(role)} ${place}${inherited}`;
  }

  /** Ids in a query are written by the names of the things: `user.id=ann`. */
  const queryOf = (query: string): string =>
    query.replace(/=(\w+)/g, (whole, name: string) => (things[name] ? `=${id(name)}` : whole));

  async function list(query: string, token?: string): Promise<string[]> {
    const path = `/v3/role_assignments?${queryOf(query)}`;
    const { role_assignments: found } = assertOk(await api.get(path, token === undefined ? {} : { token }));
    return found
      .map(summary)
      .filter((text: string | undefined) => text !== undefined)
      .sort();
  }

  const EVERY_GRANT = [
    'ann boss shop',
    'ann clerk acme below(projects)',
    'ann clerk system',
    'bob cleaner till',
    'staff boss acme',
    'staff boss shop below(projects)',
    'staff clerk system',
  ];

  it('lists grants as they are, in the envelope of a list', async () => {
    assert.deepEqual(await list(''), EVERY_GRANT);
    const { links, role_assignments: found } = assertOk(
      await api.get(`/v3/role_assignments?${queryOf('user.id=ann&scope.project.id=shop')}`),
    );
    assert.equal(links.self, `${api.url}/v3/role_assignments?${queryOf('user.id=ann&scope.project.id=shop')}`);
    assert.deepEqual(found, [
      {
        role: { id: id('boss') },
        user: { id: id('ann') },
        scope: { project: { id: id('shop') } },
        links: { assignment: `${api.url}/v3/projects/${id('shop')}/users/${id('ann')}/roles/${id('boss')}` },
      },
    ]);
    assert.equal((await api.head('/v3/role_assignments')).status, 200);
  });

  const filters: Record<string, string[]> = {
    'user.id=ann': ['ann boss shop', 'ann clerk acme below(projects)', 'ann clerk system'],
    'user.id=bob': ['bob cleaner till'],
    'user.id=nobody': [],
    'group.id=staff': ['staff boss acme', 'staff boss shop below(projects)', 'staff clerk system'],
    'role.id=boss': ['ann boss shop', 'staff boss acme', 'staff boss shop below(projects)'],
    'role.id=nothing': [],
    'scope.project.id=shop': ['ann boss shop', 'staff boss shop below(projects)'],
    'scope.project.id=nowhere': [],
    'scope.domain.id=acme': ['ann clerk acme below(projects)', 'staff boss acme'],
    'scope.system=all': ['ann clerk system', 'staff clerk system'],
    'scope.OS-INHERIT:inherited_to=projects': ['ann clerk acme below(projects)', 'staff boss shop below(projects)'],
    'scope.project.id=shop&scope.OS-INHERIT:inherited_to=projects': ['staff boss shop below(projects)'],
    'user.id=ann&role.id=clerk': ['ann clerk acme below(projects)', 'ann clerk system'],
    'user.id=ann&scope.system=all': ['ann clerk system'],
    'group.id=staff&scope.domain.id=acme&role.id=boss': ['staff boss acme'],
    'scope.project.id=shop&include_subtree': ['ann boss shop', 'bob cleaner till', 'staff boss shop below(projects)'],
    'scope.project.id=shop&include_subtree=true&user.id=bob': ['bob cleaner till'],
    'scope.project.id=shop&include_subtree=false': ['ann boss shop', 'staff boss shop below(projects)'],
    'effective=false&user.id=bob': ['bob cleaner till'],
    'unheard_of=1&user.id=bob': ['bob cleaner till'],
  };
  for (const [query, expected] of Object.entries(filters)) {
    it(`lists the grants with ${query}`, async () => assert.deepEqual(await list(query), expected));
  }

  // Effective: through groups, down the tree, and by what roles imply; roles of a domain only by what they imply.
  const effective: Record<string, string[]> = {
    'user.id=ann': [
      'ann boss shop',
      'ann clerk shop',
      'ann clerk shop below(projects)',
      'ann clerk system',
      'ann clerk till below(projects)',
    ],
    'user.id=bob': [
      'bob boss acme',
      'bob boss till below(projects)',
      'bob clerk acme',
      'bob clerk system',
      'bob clerk till',
      'bob clerk till below(projects)',
    ],
    'role.id=boss': ['ann boss shop', 'bob boss acme', 'bob boss till below(projects)'],
    'role.id=cleaner': [],
    'user.id=bob&role.id=clerk&scope.project.id=till': ['bob clerk till', 'bob clerk till below(projects)'],
    'scope.project.id=till': [
      'ann clerk till below(projects)',
      'bob boss till below(projects)',
      'bob clerk till',
      'bob clerk till below(projects)',
    ],
    'scope.project.id=shop': ['ann boss shop', 'ann clerk shop', 'ann clerk shop below(projects)'],
    'scope.project.id=shop&include_subtree': [
      'ann boss shop',
      'ann clerk shop',
      'ann clerk shop below(projects)',
      'ann clerk till below(projects)',
      'bob boss till below(projects)',
      'bob clerk till',
      'bob clerk till below(projects)',
    ],
    'scope.domain.id=acme': ['bob boss acme', 'bob clerk acme'],
    'scope.system=all': ['ann clerk system', 'bob clerk system'],
    'scope.project.id=till&scope.OS-INHERIT:inherited_to=projects': [
      'ann clerk till below(projects)',
      'bob boss till below(projects)',
      'bob clerk till below(projects)',
    ],
    'user.id=bob&scope.OS-INHERIT:inherited_to=projects': ['bob boss till below(projects)', 'bob clerk till below(projects)'],
  };
  for (const [query, expected] of Object.entries(effective)) {
    it(`lists what takes effect with ${query}`, async () => assert.deepEqual(await list(`effective&${query}`), expected));
  }

  it('lists exactly the roles a token gets', async () => {
    const password = 'a password of a test';
    assertOk(await api.patch(`/v3/users/${id('bob')}`, { user: { password } }));
    for (const [name, scope] of [
      ['till', { project: { id: id('till') } }],
      ['acme', { domain: { id: id('acme') } }],
    ] as const) {
      const { body } = await api.authenticate({ id: id('bob'), password }, scope);
      const held = body.token.roles.map((role: { name: string }) => role.name).sort();
      const kind = name === 'till' ? 'project' : 'domain';
      const query = queryOf(`effective&include_names&user.id=bob&scope.${kind}.id=${name}`);
      const listed = assertOk(await api.get(`/v3/role_assignments?${query}`)).role_assignments;
      assert.deepEqual([...new Set(listed.map((one: any) => one.role.name))].sort(), held);
    }
  });

  it('says where an effective assignment comes from', async () => {
    const query = queryOf('effective&user.id=bob&scope.project.id=till&role.id=clerk');
    const { role_assignments: found } = assertOk(await api.get(`/v3/role_assignments?${query}`));
    const links = found.map((one: { links: unknown }) => one.links);
    const grant = `${api.url}/v3/OS-INHERIT/projects/${id('shop')}/groups/${id('staff')}/roles/${id('boss')}/inherited_to_projects`;
    assert.equal(links.length, 2);
    assert.deepEqual(
      links.find(({ membership }: any) => membership),
      {
        assignment: grant,
        membership: `${api.url}/v3/groups/${id('staff')}/users/${id('bob')}`,
        prior_role: `${api.url}/v3/roles/${id('boss')}`,
      },
    );
    for (const { assignment, membership } of links) {
      assertOk(await api.head(assignment.slice(api.url.length)), 204);
      if (membership) assertOk(await api.head(membership.slice(api.url.length)), 204);
    }
  });

  it('gives names on request', async () => {
    const named = (name: string) => ({ id: id(name), name: things[name]!.name });
    const domain = named('acme');
    const one = async (query: string) => {
      const answer = await api.get(`/v3/role_assignments?include_names&${queryOf(query)}`);
      const [{ links: _links, ...assignment }, ...others] = assertOk(answer).role_assignments;
      assert.deepEqual(others, []);
      return assignment;
    };
    assert.deepEqual(await one('user.id=ann&role.id=boss'), {
      role: named('boss'),
      user: { ...named('ann'), domain },
      scope: { project: { ...named('shop'), domain } },
    });
    assert.deepEqual(await one('group.id=staff&scope.domain.id=acme'), {
      role: named('boss'),
      group: { ...named('staff'), domain },
      scope: { domain },
    });
    assert.deepEqual(await one('user.id=bob'), {
      role: { ...named('cleaner'), domain },
      user: { ...named('bob'), domain },
      scope: { project: { ...named('till'), domain } },
    });
    assert.deepEqual(await one('user.id=ann&scope.system=all'), {
      role: named('clerk'),
      user: { ...named('ann'), domain },
      scope: { system: { all: true } },
    });
    const ids = assertOk(await api.get(`/v3/role_assignments?include_names=false&${queryOf('user.id=bob')}`));
    assert.deepEqual(ids.role_assignments[0].user, { id: id('bob') });
  });

  const contradictions: Record<string, RegExp> = {
    'user.id=ann&group.id=staff': /group\.id/,
    'effective&group.id=staff': /group\.id/,
    'scope.project.id=shop&scope.domain.id=acme': /scope\.domain\.id/,
    'scope.system=all&scope.domain.id=acme': /scope\.domain\.id/,
    'scope.system=all&scope.project.id=shop': /scope/,
    'effective&scope.domain.id=acme&scope.OS-INHERIT:inherited_to=projects': /inherited_to/,
    include_subtree: /include_subtree/,
    'include_subtree&scope.domain.id=acme': /include_subtree/,
    'effective=perhaps': /effective/,
    'include_names=perhaps': /include_names/,
    'user.id=ann&user.id=bob': /user\.id/,
    'limit=none': /limit/,
    'marker=nothing': /marker/,
  };
  for (const [query, field] of Object.entries(contradictions)) {
    it(`refuses ${query}`, async () => {
      assertRefused(await api.get(`/v3/role_assignments?${queryOf(query)}`), 400, field);
    });
  }

  it('refuses the tree of a project that is not there', async () => {
    const path = '/v3/role_assignments?include_subtree&scope.project.id=nowhere';
    assertRefused(await api.get(path), 404, /Could not find project: nowhere/);
  });

  it('walks page by page, also through what takes effect', async () => {
    for (const query of ['', 'effective&']) {
      const found: string[] = [];
      let path = `/v3/role_assignments?${query}limit=2`;
      for (let pages = 0; path; pages++) {
        assert.ok(pages < 100, 'the pages come to an end');
        const { links, role_assignments: page } = assertOk(await api.get(path));
        if (!query) assert.ok(page.length <= 2);
        found.push(...page.map(summary).filter((text: string | undefined) => text !== undefined));
        path = links.next?.slice(api.url.length);
      }
      assert.deepEqual(found.sort(), await list(query));
    }
  });

  it('shows a reader of a domain only what is in it, and a reader of the system everything', async () => {
    const transaction = await api.persona(['reader'], { domain: id('acme') }, { domain_id: id('acme') });
    const system = await api.persona(['reader'], 'system');
    const elsewhere = await api.persona(['reader'], { domain: 'default' });
    const ofDomain = EVERY_GRANT.filter((text) => !text.includes('system'));
    assert.deepEqual(await list('', transaction.token), ofDomain);
    assert.deepEqual(await list('', system.token), EVERY_GRANT);
    assert.deepEqual(await list('', elsewhere.token), []);
    assert.deepEqual(await list('user.id=ann', elsewhere.token), []);
    assert.deepEqual(await list('scope.system=all', transaction.token), []);
    assert.deepEqual(await list('effective&user.id=bob&role.id=boss', transaction.token), [
      'bob boss acme',
      'bob boss till below(projects)',
    ]);
    const tree = `/v3/role_assignments?${queryOf('include_subtree&scope.project.id=shop')}`;
    assertOk(await api.get(tree, { token: transaction.token }));
    assertOk(await api.get(tree, { token: system.token }));
    assertRefused(await api.get(tree, { token: elsewhere.token }), 403);
  });

  it('asks for a token and for the right', async () => {
    const member = await api.persona(['member'], { project: id('shop') });
    const tree = `/v3/role_assignments?include_subtree&scope.project.id=${id('shop')}`;
    await assertGuarded(
      api,
      [member.token],
      [
        { method: 'GET', path: '/v3/role_assignments' },
        { method: 'HEAD', path: '/v3/role_assignments' },
        { method: 'GET', path: `/v3/role_assignments?user.id=${member.user.id}` },
        { method: 'GET', path: tree, missing: '/v3/role_assignments?include_subtree&scope.project.id=nowhere' },
      ],
    );
  });
});
