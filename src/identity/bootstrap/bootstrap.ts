// The data a fresh service has: the default domain, base roles, the first administrator, the catalog.
import { type Clock, seconds } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config/index.ts';
import { isUniqueViolation } from '../../platform/database/index.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import { findProject, tagOf } from '../access/index.ts';
import { type Change, type RunChange, serviceActor } from '../audit/index.ts';
import { insertEntry } from '../catalog/index.ts';
import type { Database } from '../database.ts';
import { Fault, fail } from '../faults.ts';
import { insertGrant } from '../grants/index.ts';
import type { NewPassword, Passwords } from '../passwords/index.ts';
import { insertRow } from '../projects/index.ts';
import { insertImplication, insertRole } from '../roles/index.ts';
import type { Users } from '../users/index.ts';
import { moveEndpoints, readFact, writeFact } from './bootstrap.store.ts';

const DOMAIN = 'default';
const ADMIN = 'admin';
const REGION = 'RegionOne';
const ENDPOINT_FACT = 'identity_endpoint_url';
const ROLES = ['admin', 'member', 'reader', 'owner', 'basic', 'trial', 'community', 'service'];
/** Whoever may administer may also do what a member and a reader may. */
const IMPLIED = [
  ['admin', 'member'],
  ['member', 'reader'],
] as const;
/** The policy depends on these names. */
const PROTECTED = ['admin', 'member', 'reader'];

export interface BootstrapDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly passwords: Passwords;
  readonly users: Users;
}

async function makeRoles({ tx, audit }: Change, clock: Clock): Promise<Map<string, string>> {
  const ids = new Map(ROLES.map((name) => [name, newId()]));
  for (const [name, id] of ids) {
    const options = PROTECTED.includes(name) ? '{"immutable":true}' : '{}';
    await insertRole(tx, { id, name, domain_id: null, description: null, options, extra: '{}', created_at: seconds(clock) });
    audit('role.created', { kind: 'role', id });
  }
  for (const [prior, implied] of IMPLIED)
    await insertImplication(tx, { prior_role_id: ids.get(prior)!, implied_role_id: ids.get(implied)! });
  return ids;
}

async function makeCatalog({ tx }: Change, url: string): Promise<void> {
  const serviceId = newId();
  await insertEntry(tx, 'regions', { id: REGION, description: '', parent_region_id: null, extra: '{}' });
  await insertEntry(tx, 'services', { id: serviceId, type: 'identity', name: 'gatehouse', enabled: 1, extra: '{}' });
  for (const interfaceName of ['public', 'internal', 'admin']) {
    await insertEntry(tx, 'endpoints', {
      id: newId(),
      service_id: serviceId,
      region_id: REGION,
      interface: interfaceName,
      url,
      enabled: 1,
      extra: '{}',
    });
  }
}

/**
 * A new one, or that of the settings. The pattern for passwords people choose does not bear on it, nor when they end: it must give
 * the first token. What makes a password too weak for everybody does.
 */
async function given(passwords: Passwords, password: string): Promise<NewPassword> {
  const why = await passwords.misfit(password);
  if (why !== undefined)
    throw new ConfigError(
      `GATEHOUSE_ADMIN_PASSWORD cannot be used: ${why} (GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH and GATEHOUSE_IDENTITY_PASSWORD_COMMON say so)`,
    );
  return { hash: await passwords.hash(password, { key: 'the service' }), expiresAt: null, by: 'administrator' };
}

/** For whoever lost it: `gatehouse admin-password`. Ends what the old one opened, as every change of a password does. */
export async function resetAdminPassword({ passwords, users }: BootstrapDeps, wanted: string | undefined): Promise<string> {
  const { id } = (await users.findByName(DOMAIN, ADMIN)) ?? fail('user.not_found', { id: ADMIN });
  const password = wanted ?? newSecret();
  await users.replacePassword(serviceActor, id, await given(passwords, password));
  return password;
}

export async function isAdminPassword({ passwords, users }: BootstrapDeps, text: string): Promise<boolean> {
  const admin = await users.findByName(DOMAIN, ADMIN);
  return admin !== undefined && passwords.isOf(admin.id, text);
}

/** Gets the first password before the account is made, and is told what came of it. */
export type KeepPassword = (password: string) => { stored(): void; discarded(): void };

/** Returns the password of the administrator it made, or undefined when the service has its data already. */
export async function bootstrap(
  deps: BootstrapDeps,
  options: { url: string; adminPassword: string | undefined; keep?: KeepPassword | undefined },
): Promise<string | undefined> {
  const { db, clock, change, passwords, users } = deps;
  const url = `${options.url}/v3`;
  if (await findProject(db.read, DOMAIN)) {
    await followAddress(deps, url);
    return undefined;
  }
  const password = options.adminPassword ?? newSecret();
  const prepared = await given(passwords, password);
  const kept = options.keep?.(password);
  try {
    await change(serviceActor, async (transaction) => {
      await insertRow(transaction, clock, { name: 'Default', description: 'The default domain' }, null, { id: DOMAIN });
      const roles = await makeRoles(transaction, clock);
      const projectId = await insertRow(
        transaction,
        clock,
        { name: 'admin', description: 'The organization of the administrators' },
        { domainId: DOMAIN, parentId: DOMAIN },
      );
      const userId = await users.insert(transaction, { name: ADMIN, default_project_id: projectId }, DOMAIN);
      await passwords.store(transaction, userId, prepared);
      for (const targetId of [projectId, DOMAIN, null]) {
        await insertGrant(transaction.tx, {
          actor: { kind: 'user', id: userId },
          targetId,
          roleId: roles.get('admin')!,
          inherited: false,
        });
      }
      await makeCatalog(transaction, url);
      await writeFact(transaction.tx, ENDPOINT_FACT, url);
    });
  } catch (error) {
    kept?.discarded();
    // Another process of the same service was first: its data serves us too.
    if (isUniqueViolation(error) || (error instanceof Fault && error.code === 'resource.duplicate')) return undefined;
    throw error;
  }
  kept?.stored();
  return password;
}

/** The public address is a setting; the endpoints written from it must not go stale when it changes. */
async function followAddress({ db, change }: BootstrapDeps, url: string): Promise<void> {
  const written = await readFact(db.read, ENDPOINT_FACT);
  if (written === undefined || written === url) return;
  await change(serviceActor, async ({ tx, audit, invalidate }) => {
    const count = await moveEndpoints(tx, written, url);
    await writeFact(tx, ENDPOINT_FACT, url);
    invalidate(tagOf.everything);
    audit('endpoint.moved', { kind: 'service', id: 'identity' }, { from: written, to: url, count });
  });
}
