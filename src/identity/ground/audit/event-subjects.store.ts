// Whom an audit event concerns: a domain, an application, a person. It is stored with the event, because what it names is deleted later.
import type { AuditedEvent } from '../../../platform/audit/index.ts';
import type { Tx } from '../database/index.ts';

/** Things that belong to a domain. What only administrators manage, such as connections and providers, is not among them. */
const TABLES = { user: 'users', group: 'groups', project: 'projects', role: 'roles', invitation: 'invitations' } as const;
type Kind = keyof typeof TABLES;
/** A thing that may belong to a domain. A domain belongs to itself. */
interface Subject {
  readonly kind: Kind | 'domain';
  readonly id: string;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const isKind = (kind: string): kind is Kind => Object.hasOwn(TABLES, kind);
const subjectOf = (kind: Subject['kind'], id: unknown): Subject | undefined =>
  typeof id === 'string' ? { kind, id } : undefined;

/** The thing whose domain an event concerns. */
function subjectIn({ kind, id, detail }: AuditedEvent): Subject | undefined {
  const { target, target_id, domain_id, user_id, organization_id } = detail;
  if (kind === 'domain') return { kind, id };
  // A base role that was given or taken: the domain of where it works.
  if (target === 'domain' || target === 'project') return subjectOf(target, target_id);
  if (target === 'system') return undefined;
  if (isKind(kind)) return subjectOf('domain', domain_id) ?? { kind, id };
  if (['credential', 'token', 'app_role', 'trust'].includes(kind))
    return subjectOf('user', user_id) ?? subjectOf('project', organization_id);
  return undefined;
}

/** Databases limit the number of parameters in a statement. */
const IDS_AT_ONCE = 500;

const keyOf = ({ kind, id }: Subject): string => `${kind} ${id}`;

/** The domains of things, by their keys: one query for each kind, or more for very many of them. */
async function domainsOf(tx: Tx, subjects: readonly Subject[]): Promise<ReadonlyMap<string, string | null>> {
  const domains = new Map<string, string | null>();
  for (const kind of Object.keys(TABLES) as Kind[]) {
    const ids = [...new Set(subjects.filter((subject) => subject.kind === kind).map(({ id }) => id))];
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
  const subjects = events.map(subjectIn);
  // Things that the change deleted are not found any more; their event names the domain.
  const named = new Map(
    events.flatMap(({ kind, id, detail }) =>
      isKind(kind) && typeof detail.domain_id === 'string' ? [[keyOf({ kind, id }), detail.domain_id] as const] : [],
    ),
  );
  const isUnknown = (subject: Subject | undefined): subject is Subject => subject !== undefined && !named.has(keyOf(subject));
  const found = await domainsOf(tx, subjects.filter(isUnknown));
  const domainOf = (subject: Subject): string | null =>
    subject.kind === 'domain' ? subject.id : (named.get(keyOf(subject)) ?? found.get(keyOf(subject)) ?? null);
  return events.map(({ kind, id, detail }, index) => ({
    domain_id: subjects[index] ? domainOf(subjects[index]) : null,
    application_id: kind === 'consumer' ? id : (textOf(detail.application_id) ?? textOf(detail.consumer_id)),
    user_id: kind === 'user' ? null : textOf(detail.user_id),
  }));
}
