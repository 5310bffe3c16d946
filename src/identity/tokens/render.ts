// The body of a token, as text. Everything but four fields is the same for every token of a user in a scope,
// so that part is made once for a view and kept with it; the four fields are kept with the opened token.
import { isoTime } from '../../platform/clock.ts';
import type { View } from '../access/index.ts';
import { type CatalogEntry, readCatalog, tokenCatalog } from '../catalog/index.ts';
import type { Database } from '../database.ts';
import type { TokenRecord } from './token-format.ts';

interface Tail {
  readonly whole: string;
  readonly withoutCatalog: string;
}

function bodyOf({ user, project, domain, scope, roles }: View) {
  return {
    user: {
      id: user.id,
      name: user.name,
      domain: user.domain,
      password_expires_at: user.passwordExpiresAt === null ? null : isoTime(user.passwordExpiresAt * 1000),
    },
    ...(project ? { is_domain: project.isDomain, project: { id: project.id, name: project.name, domain: project.domain } } : {}),
    ...(domain ? { domain } : {}),
    ...(scope.kind === 'system' ? { system: { all: true } } : {}),
    ...(scope.kind === 'unscoped' ? {} : { roles }),
  };
}

export interface TokenText {
  (record: TokenRecord, view: View, catalog: boolean): string | Promise<string>;
  catalogOf(view: View): Promise<CatalogEntry[]>;
}

export function createTokenText(db: Database): TokenText {
  const tails = new WeakMap<View, Tail>();
  const heads = new WeakMap<TokenRecord, string>();

  const catalogOf = async (view: View): Promise<CatalogEntry[]> =>
    tokenCatalog(await readCatalog(db.read), { project_id: view.project?.id, user_id: view.user.id });

  async function makeTail(view: View): Promise<Tail> {
    const body = bodyOf(view);
    const catalog = view.scope.kind === 'unscoped' ? undefined : await catalogOf(view);
    const tail = { whole: JSON.stringify({ ...body, catalog }).slice(1), withoutCatalog: JSON.stringify(body).slice(1) };
    tails.set(view, tail);
    return tail;
  }

  function makeHead(record: TokenRecord): string {
    const auditIds = record.parentAuditId ? [record.auditId, record.parentAuditId] : [record.auditId];
    const names = `{"token":{"methods":${JSON.stringify(record.methods)},"audit_ids":${JSON.stringify(auditIds)}`;
    const head = `${names},"expires_at":"${isoTime(record.expiresAt)}","issued_at":"${isoTime(record.issuedAt)}",`;
    heads.set(record, head);
    return head;
  }

  const join = (record: TokenRecord, { whole, withoutCatalog }: Tail, catalog: boolean): string =>
    `${heads.get(record) ?? makeHead(record)}${catalog ? whole : withoutCatalog}}`;

  const text = (record: TokenRecord, view: View, catalog: boolean): string | Promise<string> => {
    const tail = tails.get(view);
    return tail ? join(record, tail, catalog) : makeTail(view).then((made) => join(record, made, catalog));
  };
  return Object.assign(text, { catalogOf });
}
