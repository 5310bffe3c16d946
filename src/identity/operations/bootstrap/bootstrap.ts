// The data a fresh service has: the default domain, base roles, the first administrator, the catalog.
import type { Clock } from '../../../platform/clock.ts';
import { ConfigError, type LocalName } from '../../../platform/config/index.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { newId, newSecret } from '../../../platform/ids.ts';
import { DEFAULT_DOMAIN, findProject, hasAdministrator, tagOf } from '../../access/context/index.ts';
import { insertRow } from '../../access/noun/index.ts';
import { giveRole } from '../../directory/grants/index.ts';
import type { NewPassword, Passwords } from '../../directory/passwords/index.ts';
import { insertProjectRow } from '../../directory/projects/index.ts';
import { insertBaseRoles } from '../../directory/roles/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { type Change, type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { moveEndpoints, readFact, writeFact } from './bootstrap.store.ts';

const ADMIN = 'admin';
const REGION = 'RegionOne';
const ENDPOINT_FACT = 'identity_endpoint_url';

export interface BootstrapDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly passwords: Passwords;
  readonly users: Users;
}

async function makeCatalog({ tx }: Change, url: string): Promise<void> {
  const serviceId = newId();
  await insertRow(tx, 'regions', { id: REGION, description: '', parent_region_id: null, extra: '{}' });
  await insertRow(tx, 'services', { id: serviceId, type: 'identity', name: 'gatehouse', enabled: 1, extra: '{}' });
  for (const interfaceName of ['public', 'internal', 'admin']) {
    await insertRow(tx, 'endpoints', {
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

/** The pattern and the expiry for passwords do not apply, since this one must give the first token. Length and the common list do. */
async function prepareAdminPassword(passwords: Passwords, password: string): Promise<NewPassword> {
  const why = await passwords.problem(password);
  if (why !== undefined)
    throw new ConfigError(
      `GATEHOUSE_ADMIN_PASSWORD cannot be used: ${why} (GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH and GATEHOUSE_IDENTITY_PASSWORD_COMMON say so)`,
    );
  return { hash: await passwords.hash(password, { key: 'the service' }), expiresAt: null, by: 'administrator' };
}

/** For `gatehouse admin-password`. Like every change of a password, it revokes tokens and sessions. */
export async function resetAdminPassword({ passwords, users }: BootstrapDeps, chosen: string | undefined): Promise<string> {
  const { id } = (await users.findByName(DEFAULT_DOMAIN, ADMIN)) ?? fail('user.not_found', { id: ADMIN });
  const password = chosen ?? newSecret();
  await users.replacePassword(serviceActor, id, await prepareAdminPassword(passwords, password));
  return password;
}

export async function isAdminPassword({ passwords, users }: BootstrapDeps, text: string): Promise<boolean> {
  const admin = await users.findByName(DEFAULT_DOMAIN, ADMIN);
  return admin !== undefined && passwords.isPasswordOf(admin.id, text);
}

/** Gets the first password before the account is created, and hears afterwards whether it was stored. */
export type DeliverPassword = (password: string) => { stored(): void; discarded(): void };

/** Returns the password of the new administrator; undefined when the service has its data already. */
export async function bootstrap(
  deps: BootstrapDeps,
  options: { url: string; adminPassword: string | undefined; deliver?: DeliverPassword | undefined },
): Promise<string | undefined> {
  const { db, clock, change, passwords, users } = deps;
  const url = `${options.url}/v3`;
  if (await findProject(db.read, DEFAULT_DOMAIN)) {
    await followAddress(deps, url);
    return undefined;
  }
  const password = options.adminPassword ?? newSecret();
  const prepared = await prepareAdminPassword(passwords, password);
  const delivery = options.deliver?.(password);
  try {
    await change(serviceActor, async (transaction) => {
      await insertProjectRow(transaction, clock, { name: 'Default', description: 'The default domain' }, null, {
        id: DEFAULT_DOMAIN,
      });
      const roles = await insertBaseRoles(transaction);
      const { id: projectId } = await insertProjectRow(
        transaction,
        clock,
        { name: 'admin', description: 'The organization of the administrators' },
        { domainId: DEFAULT_DOMAIN, parentId: DEFAULT_DOMAIN },
      );
      const userId = await users.insert(transaction, { name: ADMIN, default_project_id: projectId }, DEFAULT_DOMAIN, {
        isFirst: true,
      });
      await passwords.store(transaction, userId, prepared);
      const actor = { kind: 'user', id: userId } as const;
      for (const target of [
        { kind: 'project', id: projectId },
        { kind: 'domain', id: DEFAULT_DOMAIN },
        { kind: 'system', id: null },
      ] as const)
        await giveRole(transaction, { actor, target, roleId: roles.admin, inherited: false });
      await makeCatalog(transaction, url);
      await writeFact(transaction.tx, ENDPOINT_FACT, url);
    });
  } catch (error) {
    delivery?.discarded();
    // Another process of the same service was first; its data is used.
    if (isUniqueViolation(error) || (error instanceof Fault && error.code === 'resource.duplicate')) return undefined;
    throw error;
  }
  delivery?.stored();
  return password;
}

/** The public address is a setting. When it changes, the endpoints written from it change too. */
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

/**
 * How the service calls this machine where no setting says it. One that began at 127.0.0.1, as all did once, stays there: what people hold
 * in the wallet, what was issued and what other providers know belong to that address.
 */
export async function localNameOf(db: Database): Promise<LocalName> {
  const written = await readFact(db.read, ENDPOINT_FACT);
  return written !== undefined && new URL(written).hostname === '127.0.0.1' ? '127.0.0.1' : 'localhost';
}

/** With the scope enforced, the role admin on projects and domains does not administer the service. */
export async function warnWithoutAdministrator({ db, config, log }: Pick<Deps, 'db' | 'config' | 'log'>): Promise<void> {
  if (config.enforceScope && !(await hasAdministrator(db.read, config)))
    log.warn(
      'nobody administers the service: GATEHOUSE_IDENTITY_ENFORCE_SCOPE is on, and no enabled user has the role admin on the system. Turn it off, grant the role, and turn it on again',
    );
}
