// Logging in: prove who you are by every method you name, then get a token for the scope you ask for.
import { seconds } from '../../platform/clock.ts';
import type { Throttle } from '../../platform/http/index.ts';
import { type Scope, tagOf, type View } from '../access/index.ts';
import { parsed } from '../attributes.ts';
import type { Deps } from '../deps.ts';
import { fail, fault } from '../faults.ts';
import type { PasswordOptions } from '../passwords/index.ts';
import { findByName } from '../projects/index.ts';
import { type UserWithExpiry, updateUser } from '../users/index.ts';
import type { AskedScope, Credentials, Identity, ThingRef } from './auth.schema.ts';
import type { AuthMethod, TokenRecord } from './token-format.ts';

export interface Attempt {
  readonly address: string;
  readonly requestId: string;
}

export interface Proof {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  /** The token it was proved with, if one was. */
  readonly parent: TokenRecord | undefined;
}

/** One message for every failed login; the log has the reason. */
const refused = (reason: string) => fault('auth.required', undefined, { reason });
const DAY = 86_400;

export function createAuth(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'change' | 'access' | 'tokens' | 'passwords' | 'users'> & {
    throttles: { user: Throttle; address: Throttle };
  },
) {
  const { db, clock, config, change, access, tokens, passwords, users, throttles } = deps;

  async function domainId(ref: ThingRef | undefined): Promise<string | undefined> {
    if (ref?.id !== undefined) return ref.id;
    return ref?.name === undefined ? undefined : (await findByName(db.read, ref.name, null))?.id;
  }

  async function findUser({ id, name, domain }: Credentials): Promise<UserWithExpiry | undefined> {
    if (id !== undefined) return users.find(id);
    if (name === undefined)
      return fail('request.invalid_field', { field: 'auth.identity.password.user.name', why: 'an id or a name is required' });
    if (domain?.id === undefined && domain?.name === undefined) {
      return fail('request.invalid_field', {
        field: 'auth.identity.password.user.domain',
        why: 'a name needs the id or name of its domain',
      });
    }
    const within = await domainId(domain);
    return within === undefined ? undefined : users.findByName(within, name);
  }

  async function byPassword(credentials: Credentials, { address, requestId }: Attempt): Promise<UserWithExpiry> {
    const user = await findUser(credentials);
    const key = `${address} ${user?.id ?? `${credentials.domain?.id ?? credentials.domain?.name} ${credentials.id ?? credentials.name}`}`;
    return throttles.address.guard(address, () =>
      throttles.user.guard(key, async () => {
        const options = parsed<PasswordOptions & Record<string, unknown>>(user?.options ?? '{}');
        const check = await passwords.check(credentials.password, user && { id: user.id, options }, { userId: null, requestId });
        if (check === 'expired') fail('auth.password_expired', { id: user!.id });
        if (check !== 'good' || !user) throw refused(`password ${check}`);
        return user;
      }),
    );
  }

  async function byToken(text: string): Promise<TokenRecord> {
    const verified = await tokens.verify(text);
    if (!verified) throw refused('token unknown, expired or revoked');
    return verified.record;
  }

  /** Every method that is named must succeed, and all of them for the same user. */
  async function prove(identity: Identity, attempt: Attempt): Promise<Proof> {
    const methods = new Set<AuthMethod>();
    const found = new Set<string>();
    let parent: TokenRecord | undefined;
    for (const method of new Set(identity.methods)) {
      if (method === 'password') {
        if (!identity.password)
          fail('request.invalid_field', { field: 'auth.identity.password', why: 'it is a required property' });
        found.add((await byPassword(identity.password.user, attempt)).id);
        methods.add('password');
      } else if (method === 'token') {
        if (!identity.token) fail('request.invalid_field', { field: 'auth.identity.token', why: 'it is a required property' });
        parent = await byToken(identity.token.id);
        found.add(parent.userId);
        for (const one of ['token' as const, ...parent.methods]) methods.add(one);
      } else fail('auth.method_unsupported');
    }
    const [userId] = found;
    if (found.size !== 1 || userId === undefined) throw refused('methods name different users');
    return { userId, methods: [...methods], parent };
  }

  async function findProjectId({ id, name, domain }: ThingRef & { domain?: ThingRef | undefined }): Promise<string | undefined> {
    if (id !== undefined) return id;
    const within = await domainId(domain);
    return within === undefined || name === undefined ? undefined : (await findByName(db.read, name, within))?.id;
  }

  async function scopeOf(asked: AskedScope): Promise<Scope> {
    if (asked.kind === 'system') return { kind: 'system' };
    if (asked.kind === 'project' || asked.kind === 'domain') {
      const id = asked.kind === 'domain' ? await domainId(asked.ref) : await findProjectId(asked.ref);
      if (id === undefined) throw refused(`no such ${asked.kind}`);
      return { kind: asked.kind, id };
    }
    return { kind: 'unscoped' };
  }

  async function viewFor(userId: string, asked: AskedScope): Promise<View> {
    const read = async (scope: Scope) => access.cached(userId, scope) ?? (await access.read(userId, scope));
    if (asked.kind === 'default') {
      const id = (await users.find(userId))?.default_project_id;
      // A default project the user cannot use is ignored, not an error.
      const view = id ? await read({ kind: 'project', id }) : undefined;
      if (view) return view;
    }
    const view = await read(await scopeOf(asked));
    if (!view) throw refused('user or scope disabled, or no role there');
    return view;
  }

  /** Only where inactivity closes accounts, and once a day: a login writes nothing else. */
  async function markActive(userId: string): Promise<void> {
    if (config.disableUserAccountDaysInactive === undefined) return;
    const now = seconds(clock);
    const user = await users.find(userId);
    if (!user || Math.floor((user.last_active_at ?? 0) / DAY) === Math.floor(now / DAY)) return;
    await change({ userId, requestId: null }, async ({ tx, audit, touch }) => {
      await updateUser(tx, userId, { last_active_at: now });
      touch(tagOf.user(userId));
      audit('user.active', { kind: 'user', id: userId });
    });
  }

  return {
    async logIn(identity: Identity, asked: AskedScope, attempt: Attempt) {
      const { userId, methods, parent } = await prove(identity, attempt);
      const view = await viewFor(userId, asked);
      await markActive(userId);
      return { ...tokens.issue(view, { methods, parent }), view };
    },
  };
}

export type AuthRules = ReturnType<typeof createAuth>;
