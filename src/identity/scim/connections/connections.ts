// Provisioning connections: bearer tokens for Entra, Okta and others. A connection acts in one domain, with the rights of a manager.
import { createHash } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { newId, newSecret } from '../../../platform/ids.ts';
import { type Caller, findProject, type IdentityTarget, type Ref, tagOf, targetOf } from '../../access/index.ts';
import type { Actor } from '../../audit/index.ts';
import type { ScimConnectionRow } from '../../database.ts';
import { fail } from '../../faults.ts';
import { findByName } from '../../projects/index.ts';
import type { Deps } from '../../resource/index.ts';
import {
  type ConnectionWithDomain,
  deleteConnection,
  findConnection,
  findConnectionById,
  insertConnection,
  listConnections,
  markUsed,
} from './connections.store.ts';

/** Identifies our tokens, also for secret scanners. */
const PREFIX = 'ghs_';
/** How often the last use of a connection is stored. */
const USE_SECONDS = 60;
/** The roles of a connection in its domain: those of a manager, not of an administrator. */
const ROLES = new Set(['manager', 'member', 'reader']);

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const tagOfConnection = (id: string): string => `scim_connection:${id}`;

/** The caller who provisions a domain: a manager of it. `actor` appears in audit events. */
function provisioningCaller(actor: string, domain: Ref, requestId: string): Caller {
  const scope = { kind: 'domain', id: domain.id } as const;
  return {
    userId: actor,
    requestId,
    provisions: true,
    tokenText: '',
    token: { userId: actor, methods: [], scope, issuedAt: 0, expiresAt: 0, generation: 0, auditId: '', parentAuditId: undefined },
    authContext: {
      user: { id: actor, name: actor, domain, passwordExpiresAt: null },
      scope,
      project: undefined,
      domain,
      roles: [],
      roleNames: ROLES,
      generation: 0,
      userEpoch: 0,
      userGeneration: 0,
      validUntil: null,
      tags: [],
    },
  };
}

const connectionCaller = ({ id, domain_id, domain_name }: ConnectionWithDomain, requestId: string): Caller =>
  provisioningCaller(`scim-connection:${id}`, { id: domain_id, name: domain_name }, requestId);

export function createConnections({
  db,
  clock,
  change,
  log,
  provisioner,
}: Pick<Deps, 'db' | 'clock' | 'change' | 'log'> & {
  provisioner(token: string): Promise<{ userId: string; domain: Ref } | undefined>;
}) {
  /** Keyed by the token: hashing it costs as much as the rest of the check. */
  const cache = db.cached<ConnectionWithDomain>({
    name: 'scim_connections',
    limit: 1000,
    tags: (connection) => [tagOfConnection(connection.id), tagOf.project(connection.domain_id), tagOf.everything],
  });
  const lastUses = new Map<string, number>();

  /** Not awaited: a failed write must not fail the request. */
  function recordUse({ id, last_used_at }: ScimConnectionRow): void {
    const now = seconds(clock);
    if (now - (lastUses.get(id) ?? last_used_at ?? 0) < USE_SECONDS) return;
    lastUses.set(id, now);
    db.write((tx) => markUsed(tx, id, now)).catch((err: unknown) =>
      log.warn({ err, connection: id }, 'could not store the last use of a connection'),
    );
  }

  return {
    /** Whether a bearer token has the format of ours. */
    isToken: (text: string): boolean => text.startsWith(PREFIX),

    async verify(token: string, requestId: string): Promise<Caller | undefined> {
      const connection = await cache.getOrLoad(token, () => findConnection(db.read, hashOf(token)));
      if (!connection?.domain_enabled) return undefined;
      recordUse(connection);
      return connectionCaller(connection, requestId);
    },

    /** An application that a manager of the domain authorized to provision it. */
    async byAccessToken(token: string, requestId: string): Promise<Caller | undefined> {
      const found = await provisioner(token);
      return found && provisioningCaller(found.userId, found.domain, requestId);
    },

    /** `domain` is an id or a name. The token is returned once; only its hash is stored. */
    async create(actor: Actor, domain: string, name = 'provisioning'): Promise<{ row: ScimConnectionRow; token: string }> {
      const found = (await findProject(db.read, domain)) ?? (await findByName(db.read, domain, null));
      if (!found?.is_domain) fail('domain.not_found', { id: domain });
      const token = PREFIX + newSecret();
      const row = {
        id: newId(),
        domain_id: found.id,
        name,
        token_hash: hashOf(token),
        created_at: seconds(clock),
        last_used_at: null,
      };
      await change(actor, async ({ tx, audit }) => {
        await insertConnection(tx, row);
        audit('scim_connection.created', { kind: 'scim_connection', id: row.id }, { domain_id: found.id, name });
      });
      return { row, token };
    },

    list: () => listConnections(db.read),

    target: async (id: string): Promise<IdentityTarget<ScimConnectionRow>> =>
      targetOf(
        await findConnectionById(db.read, id),
        () => ({}),
        () => fail('scim.connection_not_found', { id }),
      ),

    async revoke(actor: Actor, { id }: ScimConnectionRow): Promise<void> {
      await change(actor, async ({ tx, audit, invalidate }) => {
        if (!(await deleteConnection(tx, id))) fail('scim.connection_not_found', { id });
        invalidate(tagOfConnection(id));
        audit('scim_connection.revoked', { kind: 'scim_connection', id });
      });
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
