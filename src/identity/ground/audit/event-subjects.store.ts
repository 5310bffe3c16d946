// Whom an audit event concerns: a domain, an application, a person. It is stored with the event, because things are deleted later.
import type { AuditedEvent } from '../../../platform/audit/index.ts';
import type { Tx } from '../database/index.ts';

/** Things that belong to a domain. What only administrators manage, such as connections and providers, is not among them. */
const TABLES = { user: 'users', group: 'groups', project: 'projects', role: 'roles', invitation: 'invitations' } as const;
type Kind = keyof typeof TABLES;
/** A thing that may belong to a domain. A domain belongs to itself. */
interface Thing {
  readonly kind: Kind | 'domain';
  readonly id: string;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const isKind = (kind: string): kind is Kind => Object.hasOwn(TABLES, kind);
const thingOf = (kind: Thing['kind'], id: unknown): Thing | undefined => (typeof id === 'string' ? { kind, id } : undefined);

/** The thing whose domain an event concerns. */
function thingIn({ kind, id, detail }: AuditedEvent): Thing | undefined {
  const { target, target_id, domain_id, user_id, organization_id } = detail;
  if (kind === 'domain') return { kind, id };
  // A base role that was given or taken: the domain of where it works.
  if (target === 'domain' || target === 'project') return thingOf(target, target_id);
  if (target === 'system') return undefined;
  if (isKind(kind)) return thingOf('domain', domain_id) ?? { kind, id };
  if (['credential', 'token', 'app_role', 'trust'].includes(kind))
    return thingOf('user', user_id) ?? thingOf('project', organization_id);
  return undefined;
}

/** Databases limit the number of parameters in a statement. */
const IDS_AT_ONCE = 500;

const keyOf = ({ kind, id }: Thing): string => `${kind} ${id}`;

/** The domains of things, by their keys: one query for each kind, or more for very many of them. */
async function domainsOf(tx: Tx, things: readonly Thing[]): Promise<ReadonlyMap<string, string | null>> {
  const domains = new Map<string, string | null>();
  for (const kind of Object.keys(TABLES) as Kind[]) {
    const ids = [...new Set(things.filter((thing) => thing.kind === kind).map(({ id }) => id))];
    for (let first = 0; first < ids.length; first += IDS_AT_ONCE) {
      const some = ids.slice(first, first + IDS_AT_ONCE);
      const rows = await tx.selectFrom(TABLES[kind]).where('id', 'in', some).select(['id', 'domain_id']).execute();
      for (const { id, domain_id } of rows) domains.set(keyOf({ kind, id }), domain_id);
    }
  }
  return domains;
}

/** Further columns of the events of a change. */
export async function columnsOf(tx: Tx, events: readonly AuditedEvent[]) {
  const things = events.map(thingIn);
  // Things that the change deleted are not found any more; their event names the domain.
  const named = new Map(
    events.flatMap(({ kind, id, detail }) =>
      isKind(kind) && typeof detail.domain_id === 'string' ? [[keyOf({ kind, id }), detail.domain_id] as const] : [],
    ),
  );
  const isUnknown = (thing: Thing | undefined): thing is Thing => thing !== undefined && !named.has(keyOf(thing));
  const found = await domainsOf(tx, things.filter(isUnknown));
  const domainOf = (thing: Thing): string | null =>
    thing.kind === 'domain' ? thing.id : (named.get(keyOf(thing)) ?? found.get(keyOf(thing)) ?? null);
  return events.map(({ kind, id, detail }, index) => ({
    domain_id: things[index] ? domainOf(things[index]) : null,
    application_id: kind === 'consumer' ? id : (textOf(detail.application_id) ?? textOf(detail.consumer_id)),
    user_id: kind === 'user' ? null : textOf(detail.user_id),
  }));
}
