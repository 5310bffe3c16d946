// What must hold in the databases at any time, whatever was killed: each query finds the rows that break a rule.
import assert from 'node:assert/strict';
import { type BothServices, SERVICES, type ServiceName } from './both-services.ts';
import type { Fact } from './fact.ts';

/** A table whose rows begin and end with an audit event. */
interface AuditedTable {
  readonly service: ServiceName;
  readonly table: string;
  readonly created: string;
  readonly deleted: string;
  /** Rows of the service itself, which have no event. */
  readonly except?: string;
}

const happened = (action: string, id: string): string =>
  `exists (select 1 from audit_events e where e.action = '${action}' and e.target_id = ${id})`;

const AUDITED: readonly AuditedTable[] = [
  { service: 'identity', table: 'users', created: 'user.created', deleted: 'user.deleted', except: "name = 'admin'" },
  {
    service: 'identity',
    table: 'projects',
    created: 'project.created',
    deleted: 'project.deleted',
    except: "is_domain = 1 or name = 'admin'",
  },
  { service: 'identity', table: 'groups', created: 'group.created', deleted: 'group.deleted' },
  { service: 'identity', table: 'consumers', created: 'consumer.created', deleted: 'consumer.deleted' },
  { service: 'wallet', table: 'keys', created: 'key.created', deleted: 'key.purged' },
  // The DID of the node itself is made at its first start.
  { service: 'wallet', table: 'dids', created: 'did.created', deleted: 'did.deleted', except: happened('did.ensured', 'r.did') },
  { service: 'wallet', table: 'credentials', created: 'credential.received', deleted: 'credential.purged' },
];

const RULES: readonly (readonly [service: ServiceName, rule: string, sql: string])[] = [
  ...AUDITED.flatMap(({ service, table, created, deleted, except = '1 = 0' }) => [
    [
      service,
      `${table} that nothing says were created`,
      `select id from ${table} r where not (${except}) and not ${happened(created, 'r.id')}`,
    ] as const,
    [
      service,
      `${table} that were deleted and are there`,
      `select id from ${table} r where ${happened(deleted, 'r.id')}`,
    ] as const,
    [
      service,
      `${table} that were created and are gone without a word`,
      `select c.target_id from audit_events c where c.action = '${created}'
        and not exists (select 1 from ${table} r where r.id = c.target_id) and not ${happened(deleted, 'c.target_id')}`,
    ] as const,
  ]),
  [
    'identity',
    'users whose passwords have gaps in their order',
    'select user_id from passwords group by user_id having count(*) <> max(serial) - min(serial) + 1',
  ],
  ['identity', 'users who can be found by another name than theirs', 'select id from users where words_version > version'],
  [
    'identity',
    'revoked tokens without an event',
    `select audit_id from revoked_tokens r where not ${happened('token.revoked', 'r.audit_id')}`,
  ],
  [
    'wallet',
    'credentials without a copy',
    'select id from credentials c where not exists (select 1 from credential_instances i where i.credential_id = c.id)',
  ],
  [
    'wallet',
    'revoked keys whose secret is still there',
    "select id from keys where state = 'revoked' and wrapped_key is not null",
  ],
  ['wallet', 'owners with two default keys', 'select owner from keys where is_default = 1 group by owner having count(*) > 1'],
  [
    'wallet',
    'documents of DIDs that are not published',
    "select did from published_documents p where not exists (select 1 from dids d where d.did = p.did and d.state = 'published')",
  ],
  [
    'wallet',
    'published DIDs without a document',
    "select did from dids d where d.state = 'published' and d.method = 'web' and not exists (select 1 from published_documents p where p.did = d.did)",
  ],
];

export async function checkInvariants(services: BothServices): Promise<void> {
  for (const [service, rule, sql] of RULES) assert.deepEqual(await services.query(service, sql), [], rule);
  if (services.kind === 'SQLite')
    for (const service of SERVICES) {
      assert.deepEqual((await services.query(service, 'pragma integrity_check')).map(Object.values), [['ok']]);
      assert.deepEqual(await services.query(service, 'pragma foreign_key_check'), []);
    }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** One audit event for each change that happened, and none for one that did not. */
export async function checkAuditEvents(services: BothServices, facts: readonly Fact[]): Promise<void> {
  for (const service of SERVICES) {
    const found = facts.flatMap((fact) => {
      const trail = fact.trail();
      return trail?.service === service ? [{ fact, trail }] : [];
    });
    if (found.length === 0) continue;
    const ids = [...new Set(found.map(({ trail }) => quoted(trail.targetId)))].join(', ');
    const rows = await services.query(service, `select action, target_id, detail from audit_events where target_id in (${ids})`);
    const byTarget = Map.groupBy(rows, ({ target_id }) => target_id);
    for (const { fact, trail } of found) {
      const mine = (byTarget.get(trail.targetId) ?? []).filter(({ detail }) =>
        (trail.about ?? []).every((text) => String(detail).includes(text)),
      );
      for (const [action, count] of fact.happened)
        assert.equal(mine.filter((row) => row.action === action).length, count, `${fact.name}: events of ${action}`);
    }
  }
}

/** The epochs of users and projects. They only grow: a smaller one would make revoked tokens valid again. */
export async function readEpochs(services: BothServices): Promise<Map<string, number>> {
  const rows = await services.query('identity', 'select id, epoch from users union all select id, epoch from projects');
  return new Map(rows.map(({ id, epoch }) => [String(id), Number(epoch)]));
}
