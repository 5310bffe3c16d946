// Provisioning connections: bearer tokens for Entra, Okta and the like. Each acts in one domain, as a manager of it.
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

/** Tells our tokens from others, also for programs that look for secrets in places where they should not be. */
const PREFIX = 'ghs_';
/** How often it is noted that a connection is used. */
const USE_SECONDS = 60;
/** What a connection may do in its domain: what its managers may, which stops short of administrators. */
const ROLES = new Set(['manager', 'member', 'reader']);

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const tagOfConnection = (id: string): string => `scim_connection:${id}`;

/** Whoever provisions a domain, as the rules see them: a manager of it, whose events carry `actor`. */
function callerOf(actor: string, domain: Ref, requestId: string): Caller {
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

const ofConnection = ({ id, domain_id, domain_name }: ConnectionWithDomain, requestId: string): Caller =>
  callerOf(`scim-connection:${id}`, { id: domain_id, name: domain_name }, requestId);

export function createConnections({
  db,
  clock,
  change,
  log,
  provisioner,
}: Pick<Deps, 'db' | 'clock' | 'change' | 'log'> & {
  provisioner(token: string): Promise<{ userId: string; domain: Ref } | undefined>;
}) {
  /** By the token itself: hashing it costs as much as the rest of the check. */
  const cache = db.cached<ConnectionWithDomain>({
    name: 'scim_connections',
    limit: 1000,
    tags: (connection) => [tagOfConnection(connection.id), tagOf.project(connection.domain_id), tagOf.everything],
  });
  const used = new Map<string, number>();

  /** Not waited for: a request does not fail because this could not be written. */
  function noteUse({ id, last_used_at }: ScimConnectionRow): void {
    const now = seconds(clock);
    if (now - (used.get(id) ?? last_used_at ?? 0) < USE_SECONDS) return;
    used.set(id, now);
    db.write((tx) => markUsed(tx, id, now)).catch((err: unknown) =>
      log.warn({ err, connection: id }, 'use of a connection not noted'),
    );
  }

  return {
    /** Whether a bearer token is one of ours, by its looks. */
    isToken: (text: string): boolean => text.startsWith(PREFIX),

    async verify(token: string, requestId: string): Promise<Caller | undefined> {
      const connection = await cache.getOrLoad(token, () => findConnection(db.read, hashOf(token)));
      if (!connection?.domain_enabled) return undefined;
      noteUse(connection);
      return ofConnection(connection, requestId);
    },

    /** An application that a manager of a domain lets provision it. */
    async byAccessToken(token: string, requestId: string): Promise<Caller | undefined> {
      const found = await provisioner(token);
      return found && callerOf(found.userId, found.domain, requestId);
    },

    /** For a domain by its id or name. The token is shown once: only its hash is kept. */
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
