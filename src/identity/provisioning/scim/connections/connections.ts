// Provisioning connections: bearer tokens for Entra, Okta and others. A connection acts in one domain, with the rights of a manager.
import type { IncomingMessage } from 'node:http';
import { seconds } from '../../../../platform/clock.ts';
import type { AnsweredCall, Query } from '../../../../platform/http/index.ts';
import { newId, newSecret } from '../../../../platform/ids.ts';
import { findProject, type Ref } from '../../../access/context/index.ts';
import { type Caller, type IdentityTarget, type OtherCallers, targetOf } from '../../../access/rules/index.ts';
import { findByName } from '../../../directory/projects/index.ts';
import type { Actor } from '../../../ground/audit/index.ts';
import type { ScimConnectionRow } from '../../../ground/database/index.ts';
import { type Fault, fail } from '../../../ground/faults.ts';
import { type Deps, pageOf, single } from '../../../ground/resource/index.ts';
import {
  type ConnectionWithDomain,
  deleteConnection,
  findConnectionById,
  insertConnection,
  listConnections,
  markUsed,
} from './connections.store.ts';
import { createConnectionLookup, hashOf, PREFIX, tagOfConnection } from './lookup.ts';
import { countFailures, type Outcome, readRequests } from './requests.store.ts';
import { createConnectionRequests, patternOf } from './requests.ts';

/** How often the last use of a connection is stored. */
const USE_SECONDS = 60;
/** The roles of a connection in its domain: those of a manager, not of an administrator. */
const ROLES = new Set(['manager', 'member', 'reader']);

const DAY = 86_400;
const PATHS = '/scim/';
/** Not what the client is told, which may be a stranger. */
const DOMAIN_DISABLED = 'The domain of this connection is disabled.';
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
      // The setting is about administrators. A connection has the rights of a manager, in one domain.
      enforcesScope: false,
      generation: 0,
      endedAt: 0,
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
  provisioner(token: string, request: IncomingMessage): Promise<{ userId: string; domain: Ref } | undefined>;
}) {
  const lookup = createConnectionLookup({ db, log });
  const requests = createConnectionRequests({ db, clock, log });

  /** Every request that was answered before this can be read after it. */
  async function storeRequests(): Promise<void> {
    await lookup.settled();
    await requests.stored();
  }

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

    async verify(
      token: string,
      { requestId, headers }: Pick<AnsweredCall, 'requestId' | 'headers'>,
    ): Promise<Caller | undefined> {
      const connection = await lookup.of(token, headers);
      if (!connection?.domain_enabled) return undefined;
      recordUse(connection);
      return connectionCaller(connection, requestId);
    },

    /** An application that a manager of the domain authorized to provision it. */
    async byAccessToken(
      token: string,
      { raw, requestId }: Parameters<OtherCallers['byAccessToken']>[1],
    ): Promise<Caller | undefined> {
      const found = await provisioner(token, raw);
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

    async list(): Promise<(ConnectionWithDomain & { readonly failures: number })[]> {
      await storeRequests();
      const [rows, failures] = await Promise.all([listConnections(db.read), countFailures(db.read, seconds(clock) - DAY)]);
      return rows.map((row) => ({ ...row, failures: failures.get(row.id) ?? 0 }));
    },

    /** The last requests of a connection, the newest first. Those of other processes are some seconds late. */
    async requests({ id }: ScimConnectionRow, query: Query) {
      const page = pageOf(query);
      const outcome = single(query, 'outcome');
      if (outcome !== undefined && outcome !== 'success' && outcome !== 'failure')
        fail('request.bad_value', { field: 'outcome', why: 'it must be success or failure' });
      await storeRequests();
      const found = await readRequests(db.read, id, page, outcome satisfies Outcome | undefined);
      return found ?? fail('list.marker_not_found', { marker: page.marker! });
    },

    /** Called for every answer of the service. Nothing is read of those to other addresses. */
    recordAnswer(call: AnsweredCall, route: string, status: number, refusal?: Fault): void {
      if (!(route.startsWith(PATHS) || (route === 'none' && call.url.startsWith(PATHS)))) return;
      const { headers, url, method, requestId, milliseconds } = call;
      const answered = clock.now();
      // A token that nobody knows must not cost a second search.
      lookup.withConnection(headers, status !== 401, ({ id, domain_enabled }) => {
        const detail = status === 401 && !domain_enabled ? { detail: DOMAIN_DISABLED } : {};
        const path = patternOf(route, url);
        requests.record(id, { requestId, milliseconds, answered }, { method, path, status, refusal, ...detail });
      });
    },

    /** Of an operation in a bulk request that failed. */
    recordOperation(
      { headers, requestId }: Pick<AnsweredCall, 'headers' | 'requestId'>,
      { method, path }: { readonly method: string; readonly path: string },
      refusal: Fault,
    ): void {
      const operation = `${PATHS}v2/Bulk: ${method} ${patternOf('none', path)}`;
      const outcome = { method: 'POST', path: operation, status: refusal.status, refusal };
      const answered = clock.now();
      lookup.withConnection(headers, true, ({ id }) => requests.record(id, { requestId, milliseconds: null, answered }, outcome));
    },

    start: requests.start,
    async stop(): Promise<void> {
      await lookup.settled();
      await requests.stop();
    },

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
