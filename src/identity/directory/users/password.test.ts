import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { onBothDatabases, onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const DAY = 86_400;
const OLD = 'the old password';
const NEW = 'the new password';
const GENERIC = /^The request you have made requires authentication\.$/;
/** Time is moved by days in some of these tests: the administrator's token must outlive them. */
const LONG_TOKENS = { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '31536000' };

const makeUser = (api: TestApi, values: Record<string, unknown> = {}) =>
  api.make('user', { name: uniqueName('user'), password: OLD, ...values });
const change = (api: TestApi, id: string, original: string, password: string) =>
  api.post(`/v3/users/${id}/password`, { user: { original_password: original, password } }, { token: null });
const reset = (api: TestApi, id: string, password: unknown, options?: Record<string, unknown>) =>
  api.patch(`/v3/users/${id}`, { user: { password, ...(options ? { options } : {}) } });
const logIn = (api: TestApi, id: string, password: string) => api.authenticate({ id, password });
const canLogIn = async (api: TestApi, id: string, password: string) => (await logIn(api, id, password)).status === 201;

onBothDatabases('Passwords', (api) => {
  it('lets users change their own password by knowing it, without a token', async () => {
    const { id } = await makeUser(api);
    assertOk(await change(api, id, OLD, NEW), 204);
    assertRefused(await logIn(api, id, OLD), 401, GENERIC);
    assert.equal(await canLogIn(api, id, NEW), true);
  });

  it('ends every token of the user when the password changes, and nobody else’s', async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const neighbour = await api.persona(['member'], { project: project.id });
    const { user, password, token } = await api.persona(['member'], { project: project.id });
    const unscoped = await api.logIn({ id: user.id, password });

    assertOk(await change(api, user.id, password, NEW), 204);
    for (const dead of [token, unscoped]) assert.equal(await isAlive(api, dead), false);

    const second = await api.logIn({ id: user.id, password: NEW });
    assertOk(await reset(api, user.id, OLD));
    assert.equal(await isAlive(api, second), false);
    assert.equal(await isAlive(api, await api.logIn({ id: user.id, password: OLD })), true);
    assert.equal(await isAlive(api, neighbour.token), true);
  });

  it('keeps tokens when something else of the user changes', async () => {
    const { id } = await makeUser(api);
    const token = await api.logIn({ id, password: OLD });
    assertOk(await api.patch(`/v3/users/${id}`, { user: { description: 'new', enabled: true } }));
    assert.equal(await isAlive(api, token), true);
  });

  it('refuses a change with a wrong password, for nobody, and for a user who is disabled, in the same words', async () => {
    const { id } = await makeUser(api);
    const disabled = await makeUser(api, { enabled: false });
    const without = await makeUser(api, { password: null });
    const answers = [
      await change(api, id, 'a wrong password', NEW),
      await change(api, '0'.repeat(32), OLD, NEW),
      await change(api, disabled.id, OLD, NEW),
      await change(api, without.id, OLD, NEW),
    ];
    for (const answer of answers) assertRefused(answer, 401, GENERIC);
    assert.deepEqual(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await canLogIn(api, id, OLD), true);
  });

  it('refuses a change that lacks something, naming the field', async () => {
    const { id } = await makeUser(api);
    const bad: [body: unknown, field: RegExp][] = [
      [{}, /'user'/],
      [{ user: { password: NEW } }, /'user\.original_password'/],
      [{ user: { original_password: OLD } }, /'user\.password'/],
      [{ user: { original_password: OLD, password: '' } }, /'user\.password'/],
      [{ user: { original_password: OLD, password: null } }, /'user\.password'/],
      [{ user: { original_password: OLD, password: 'p'.repeat(4097) } }, /'user\.password'/],
      [{ user: { original_password: 1, password: NEW } }, /'user\.original_password'/],
    ];
    for (const [body, field] of bad) {
      assertRefused(await api.post(`/v3/users/${id}/password`, body, { token: null }), 400, field);
    }
    assert.equal(await canLogIn(api, id, OLD), true);
  });

  it('refuses the password in force as the new one', async () => {
    const { id } = await makeUser(api);
    assertRefused(await change(api, id, OLD, OLD), 400, /identical to the current password/);
  });

  it('lets administrators and managers of the domain set a password, but not users by PATCH', async () => {
    const manager = await api.persona(['manager'], { domain: 'default' });
    const self = await api.persona(['member'], { domain: 'default' });
    const path = `/v3/users/${self.user.id}`;
    await assertForbidden(api, [self.token], 'PATCH', path, { body: { user: { password: NEW } } });
    assertOk(await api.patch(path, { user: { password: NEW } }, { token: manager.token }));
    assert.equal(await canLogIn(api, self.user.id, NEW), true);
  });

  it('takes the password away when it is set to null', async () => {
    const { id } = await makeUser(api);
    const token = await api.logIn({ id, password: OLD });
    assertOk(await reset(api, id, null));
    assertRefused(await logIn(api, id, OLD), 401, GENERIC);
    assert.equal(await isAlive(api, token), false);
    assertOk(await reset(api, id, NEW));
    assert.equal(await canLogIn(api, id, NEW), true);
  });

  it('knows a password whichever way its accents are typed', async () => {
    const { id } = await makeUser(api, { password: 'contrase\u00f1a' });
    assert.equal(await canLogIn(api, id, 'contrasen\u0303a'), true);
    assert.equal(await canLogIn(api, id, 'contrasena'), false);
  });

  it('takes a passphrase of 4096 letters whole', async () => {
    const long = 'p'.repeat(4095);
    const { id } = await makeUser(api, { password: `${long}a` });
    assert.equal(await canLogIn(api, id, `${long}a`), true);
    assert.equal(await canLogIn(api, id, `${long}b`), false);
  });

  it('lets users whose password is locked not change it, but administrators', async () => {
    const { id } = await makeUser(api, { options: { lock_password: true } });
    assertRefused(await change(api, id, OLD, NEW), 400, /locked/);
    assert.equal(await canLogIn(api, id, OLD), true);
    assertOk(await reset(api, id, NEW));
    assert.equal(await canLogIn(api, id, NEW), true);
    assertOk(await api.patch(`/v3/users/${id}`, { user: { options: { lock_password: false } } }));
    assertOk(await change(api, id, NEW, OLD), 204);
  });

  it('survives many changes at once and ends with one password', async () => {
    const { id } = await makeUser(api);
    const wanted = Array.from({ length: 6 }, (_, index) => `password number ${index}`);
    const answers = await Promise.all([
      ...wanted.map((password) => change(api, id, OLD, password)),
      ...wanted.map((password) => reset(api, id, `${password} of the administrator`)),
    ]);
    for (const { status } of answers) assert.ok([200, 204, 401].includes(status), String(status));
    const candidates = [OLD, ...wanted, ...wanted.map((password) => `${password} of the administrator`)];
    const good = await Promise.all(candidates.map((password) => canLogIn(api, id, password)));
    assert.equal(good.filter(Boolean).length, 1);
    assert.equal(good[0], false);
  });
});

onEachDatabase(
  'Passwords that must match a pattern',
  (api) => {
    it('refuses others when a user is made, changed by an administrator, and by the user, saying what is asked for', async () => {
      const name = uniqueName('weak');
      const said = /does not meet the requirements: eight letters and a space/;
      assertRefused(await api.post('/v3/users', { user: { name, password: 'short 1' } }), 400, said);
      assert.deepEqual((await api.get(`/v3/users?name=${name}`)).body.users, []);

      const good = 'long enough';
      const user = await api.make('user', { name, password: good });
      assertRefused(await reset(api, user.id, 'longenough'), 400, said);
      assertRefused(await change(api, user.id, good, 'longenough'), 400, said);
      assertRefused(await change(api, user.id, 'wrong', 'longenough'), 401, GENERIC);
      assertOk(await change(api, user.id, good, 'long enough too'), 204);
    });

    it('asks nothing of a user without a password', async () => {
      await api.make('user', { name: uniqueName('none') });
      await api.make('user', { name: uniqueName('null'), password: null });
    });
  },
  {
    settings: {
      GATEHOUSE_IDENTITY_PASSWORD_REGEX: '^(?=.* ).{8,}$',
      GATEHOUSE_IDENTITY_PASSWORD_REGEX_DESCRIPTION: 'eight letters and a space',
    },
  },
);

onEachDatabase(
  'Passwords that must differ from the last three',
  (api) => {
    it('refuses the three last ones, the current one included, and takes the one before them', async () => {
      const { id } = await makeUser(api, { password: 'zero' });
      assertOk(await change(api, id, 'zero', 'one'), 204);
      assertOk(await change(api, id, 'one', 'two'), 204);
      for (const known of ['zero', 'one'])
        assertRefused(await change(api, id, 'two', known), 400, /cannot be identical to a previous password.*is 3\./);
      assertOk(await change(api, id, 'two', 'three'), 204);
      assertRefused(await change(api, id, 'three', 'one'), 400, /previous password/);
      assertOk(await change(api, id, 'three', 'zero'), 204);
    });

    it('does not bind administrators', async () => {
      const { id } = await makeUser(api);
      assertOk(await reset(api, id, NEW));
      assertOk(await reset(api, id, NEW));
      assertOk(await reset(api, id, OLD));
      assertRefused(await change(api, id, OLD, NEW), 400, /previous password/);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_UNIQUE_LAST_PASSWORD_COUNT: '3' } },
);

onEachDatabase(
  'Passwords with a least age of two days',
  (api) => {
    it('holds a password that the user chose for that long', async () => {
      const { id } = await makeUser(api);
      assertOk(await change(api, id, OLD, 'first'), 204);
      assertRefused(await change(api, id, 'first', 'second'), 400, /minimum age 2 days/);
      api.clock.advance(2 * DAY - 60);
      assertRefused(await change(api, id, 'first', 'second'), 400, /minimum age/);
      api.clock.advance(60);
      assertOk(await change(api, id, 'first', 'second'), 204);
    });

    it('lets the user change one that an administrator set, at once', async () => {
      const { id } = await makeUser(api);
      assertOk(await change(api, id, OLD, 'first'), 204);
      assertOk(await reset(api, id, 'given'));
      assertOk(await change(api, id, 'given', 'own'), 204);
      assertRefused(await change(api, id, 'own', 'other'), 400, /minimum age/);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE: '2', ...LONG_TOKENS } },
);

onEachDatabase(
  'Passwords that expire after thirty days',
  (api) => {
    const expired = (id: string) => new RegExp(`^The password is expired and needs to be changed for user: ${id}\\.$`);

    it('shows when a password ends, in the user and in the token', async () => {
      const before = api.clock.now();
      const user = await makeUser(api);
      assert.match(user.password_expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/);
      const days = (Date.parse(user.password_expires_at) - before) / DAY / 1000;
      assert.ok(days > 29.99 && days < 30.01, String(days));
      const { token } = assertOk(await logIn(api, user.id, OLD), 201);
      assert.equal(token.user.password_expires_at, user.password_expires_at);
    });

    it('gives no token for one that has ended, but lets the user change it', async () => {
      const { id } = await makeUser(api);
      api.clock.advance(30 * DAY - 60);
      assert.equal(await canLogIn(api, id, OLD), true);
      api.clock.advance(61);
      assertRefused(await logIn(api, id, OLD), 401, expired(id));
      assertRefused(await logIn(api, id, 'a wrong password'), 401, GENERIC);
      assertOk(await change(api, id, OLD, NEW), 204);
      assert.equal(await canLogIn(api, id, NEW), true);
    });

    it('excepts users with the option, from the start or set later', async () => {
      const options = { ignore_password_expiry: true };
      const excepted = await makeUser(api, { options });
      assert.equal(excepted.password_expires_at, null);
      const { id } = await makeUser(api);
      api.clock.advance(31 * DAY);
      assert.equal(await canLogIn(api, excepted.id, OLD), true);

      assertRefused(await logIn(api, id, OLD), 401, expired(id));
      assertOk(await api.patch(`/v3/users/${id}`, { user: { options } }));
      assert.equal(await canLogIn(api, id, OLD), true);
      assertOk(await api.patch(`/v3/users/${id}`, { user: { options: { ignore_password_expiry: null } } }));
      assertRefused(await logIn(api, id, OLD), 401, expired(id));
    });

    it('lists users by the end of their passwords', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const early = await makeUser(api, { domain_id: domain.id });
      api.clock.advance(DAY);
      const late = await makeUser(api, { domain_id: domain.id });
      await makeUser(api, { domain_id: domain.id, password: null });
      const names = async (filter: string): Promise<string[]> => {
        const query = new URLSearchParams({ domain_id: domain.id, password_expires_at: filter });
        return assertOk(await api.get(`/v3/users?${query}`)).users.map(({ name }: { name: string }) => name);
      };
      assert.deepEqual(await names(`lt:${late.password_expires_at}`), [early.name]);
      assert.deepEqual((await names(`lte:${late.password_expires_at}`)).sort(), [early.name, late.name].sort());
      assert.deepEqual(await names(`gt:${early.password_expires_at}`), [late.name]);
      assert.deepEqual((await names(`gte:${early.password_expires_at}`)).sort(), [early.name, late.name].sort());
      assert.deepEqual(await names(`eq:${early.password_expires_at}`), [early.name]);
      assert.deepEqual(await names(early.password_expires_at), [early.name]);
      assert.deepEqual(await names(`neq:${early.password_expires_at}`), [late.name]);
      for (const bad of ['lt:', 'xx:2026-12-08T22:02:00Z', 'lt:yesterday', ''])
        assertRefused(await api.get(`/v3/users?password_expires_at=${bad}`), 400, /'password_expires_at'/);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: '30', ...LONG_TOKENS } },
);

onEachDatabase(
  'Passwords that must be changed upon first use',
  (api) => {
    it('asks users to replace one that an administrator gave them', async () => {
      const { id } = await makeUser(api);
      assertRefused(await logIn(api, id, OLD), 401, /password is expired/);
      assertOk(await change(api, id, OLD, NEW), 204);
      assert.equal(await canLogIn(api, id, NEW), true);
      assertOk(await reset(api, id, 'given'));
      assertRefused(await logIn(api, id, 'given'), 401, /password is expired/);
    });

    it('excepts users with the option', async () => {
      const options = { ignore_change_password_upon_first_use: true };
      const { id } = await makeUser(api, { options });
      assert.equal(await canLogIn(api, id, OLD), true);
      const other = await makeUser(api);
      assertOk(await reset(api, other.id, NEW, options));
      assert.equal(await canLogIn(api, other.id, NEW), true);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE: 'true' } },
);

onEachDatabase(
  'Passwords with a lock-out after three failures for ten minutes',
  (api) => {
    const fail = async (id: string, times: number) => {
      for (let time = 0; time < times; time++) assertRefused(await logIn(api, id, 'a wrong password'), 401, GENERIC);
    };

    it('refuses even the right password once locked, in the same words, until the time is over', async () => {
      const { id } = await makeUser(api);
      await fail(id, 3);
      assertRefused(await logIn(api, id, OLD), 401, GENERIC);
      assertRefused(await change(api, id, OLD, NEW), 401, GENERIC);
      api.clock.advance(590);
      assertRefused(await logIn(api, id, OLD), 401, GENERIC);
      api.clock.advance(11);
      assert.equal(await canLogIn(api, id, OLD), true);
    });

    it('starts counting anew after a success', async () => {
      const { id } = await makeUser(api);
      for (let round = 0; round < 2; round++) {
        await fail(id, 2);
        assert.equal(await canLogIn(api, id, OLD), true);
      }
    });

    it('counts failed changes of the password too', async () => {
      const { id } = await makeUser(api);
      for (let time = 0; time < 3; time++) assertRefused(await change(api, id, 'a wrong password', NEW), 401);
      assertRefused(await logIn(api, id, OLD), 401, GENERIC);
    });

    it('counts guesses that come all at once', async () => {
      const { id } = await makeUser(api);
      await Promise.all(Array.from({ length: 12 }, () => logIn(api, id, 'a wrong password')));
      assertRefused(await logIn(api, id, OLD), 401, GENERIC);
    });

    it('is lifted by an administrator who enables the user or sets a password', async () => {
      const { id } = await makeUser(api);
      await fail(id, 3);
      assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: true } }));
      assert.equal(await canLogIn(api, id, OLD), true);
      await fail(id, 3);
      assertOk(await reset(api, id, NEW));
      assert.equal(await canLogIn(api, id, NEW), true);
    });

    it('excepts users with the option', async () => {
      const { id } = await makeUser(api, { options: { ignore_lockout_failure_attempts: true } });
      await fail(id, 5);
      assert.equal(await canLogIn(api, id, OLD), true);
    });
  },
  {
    settings: {
      GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3',
      GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '600',
      ...LONG_TOKENS,
    },
  },
);

onEachDatabase(
  'Accounts that close after ten days without a login',
  (api) => {
    before(async () => {
      const { users } = (await api.get('/v3/users?name=admin')).body;
      assertOk(await api.patch(`/v3/users/${users[0].id}`, { user: { options: { ignore_user_inactivity: true } } }));
    });
    const enabled = async (id: string) => (await api.get(`/v3/users/${id}`)).body.user.enabled;

    it('count as disabled then: no login, no change of the password, and no token that is still good', async () => {
      const { id } = await makeUser(api);
      const token = await api.logIn({ id, password: OLD });
      api.clock.advance(10 * DAY - 60);
      assert.equal(await enabled(id), true);
      assert.equal(await isAlive(api, token), true);
      api.clock.advance(61);
      assert.equal(await enabled(id), false);
      assert.equal(await isAlive(api, token), false);
      assertRefused(await logIn(api, id, OLD), 401, GENERIC);
      assertRefused(await change(api, id, OLD, NEW), 401, GENERIC);
    });

    it('count from what the service saw, not from what a client says', async () => {
      const { id } = await makeUser(api, { created_at: 9e12, last_active_at: 9e12 });
      assertOk(await api.patch(`/v3/users/${id}`, { user: { last_active_at: 9e12 } }));
      api.clock.advance(11 * DAY);
      assert.equal(await enabled(id), false);
    });

    it('stay open while they are used', async () => {
      const { id } = await makeUser(api);
      for (let visit = 0; visit < 3; visit++) {
        api.clock.advance(8 * DAY);
        assert.equal(await canLogIn(api, id, OLD), true);
      }
      assert.equal(await enabled(id), true);
    });

    it('open again when an administrator enables them', async () => {
      const { id } = await makeUser(api);
      api.clock.advance(11 * DAY);
      assert.equal(await enabled(id), false);
      assert.equal(assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: true } })).user.enabled, true);
      assert.equal(await canLogIn(api, id, OLD), true);
    });

    it('stay open with the option', async () => {
      const { id } = await makeUser(api, { options: { ignore_user_inactivity: true } });
      api.clock.advance(20 * DAY);
      assert.equal(await canLogIn(api, id, OLD), true);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_DISABLE_USER_ACCOUNT_DAYS_INACTIVE: '10', ...LONG_TOKENS } },
);
