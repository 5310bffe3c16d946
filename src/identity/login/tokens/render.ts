// The JSON of a token. All but four fields are the same for every token of a user in a scope. That part is built once per AuthContext
// and cached with it; the four fields are cached with the opened token.
import { isoTime } from '../../../platform/clock.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { AuthContext, TokenRecord } from '../../access/context/index.ts';
import { projectEndpointIds } from '../../catalog/endpoint-filter/index.ts';
import { type CatalogEntry, tokenCatalog } from '../../catalog/services/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';

/** Text and its size in bytes. Sizes are counted once per part, since counting takes as long as opening a token. */
export interface SizedText {
  readonly text: string;
  readonly bytes: number;
}

interface TokenTail {
  readonly whole: SizedText;
  readonly withoutCatalog: SizedText;
}

const withSize = (text: string): SizedText => ({ text, bytes: Buffer.byteLength(text) });

function bodyOf({ user, project, domain, scope, roles, delegation }: AuthContext) {
  return {
    user: {
      id: user.id,
      name: user.name,
      domain: user.domain,
      password_expires_at: user.passwordExpiresAt === null ? null : isoTime(user.passwordExpiresAt * 1000),
      ...delegation?.userSection,
    },
    ...(project ? { is_domain: project.isDomain, project: { id: project.id, name: project.name, domain: project.domain } } : {}),
    ...(domain ? { domain } : {}),
    ...(scope.kind === 'system' ? { system: { all: true } } : {}),
    ...(scope.kind === 'unscoped' ? {} : { roles }),
    ...delegation?.tokenSection,
  };
}

export interface TokenText {
  (record: TokenRecord, authContext: AuthContext, catalog: boolean): MaybePromise<SizedText>;
  catalogOf(authContext: AuthContext): Promise<CatalogEntry[]>;
}

/** A service elsewhere that trusts this one. */
interface NamedServiceProvider {
  readonly id: string;
  readonly auth_url: string;
  readonly sp_url: string;
}

/** `serviceProviders`: those that every token names. Whoever changes them invalidates all contexts, as for the catalog. */
export function createTokenText(
  db: Database,
  {
    config,
    serviceProviders,
  }: {
    readonly config: Pick<IdentityConfig, 'allEndpointsWithoutFilter'>;
    serviceProviders(): Promise<readonly NamedServiceProvider[]>;
  },
): TokenText {
  const tails = new WeakMap<AuthContext, TokenTail>();
  const heads = new WeakMap<TokenRecord, SizedText>();

  async function catalogOf({ project, user }: AuthContext): Promise<CatalogEntry[]> {
    const endpointIds = project && (await projectEndpointIds(db.read, project.id));
    if (!endpointIds && !config.allEndpointsWithoutFilter) return [];
    return tokenCatalog(db.read, { project_id: project?.id, user_id: user.id }, endpointIds);
  }

  async function makeTail(authContext: AuthContext): Promise<TokenTail> {
    const named = await serviceProviders();
    // As in Keystone, tokens have the list only if there are some.
    const body = { ...bodyOf(authContext), ...(named.length > 0 ? { service_providers: named } : {}) };
    const catalog = authContext.scope.kind === 'unscoped' ? undefined : await catalogOf(authContext);
    const tailOf = (value: object): SizedText => withSize(`${JSON.stringify(value).slice(1)}}`);
    const tail = { whole: tailOf({ ...body, catalog }), withoutCatalog: tailOf(body) };
    tails.set(authContext, tail);
    return tail;
  }

  function makeHead(record: TokenRecord): SizedText {
    const auditIds = record.parentAuditId ? [record.auditId, record.parentAuditId] : [record.auditId];
    const names = `{"token":{"methods":${JSON.stringify(record.methods)},"audit_ids":${JSON.stringify(auditIds)}`;
    // As in Keystone: whoever is shown it looks whether the client has this certificate.
    const bound = record.foreign?.thumbprint;
    const certificate = bound === undefined ? '' : `"oauth2_credential":${JSON.stringify({ 'x5t#S256': bound })},`;
    const head = withSize(
      `${names},"expires_at":"${isoTime(record.expiresAt)}","issued_at":"${isoTime(record.issuedAt)}",${certificate}`,
    );
    heads.set(record, head);
    return head;
  }

  const text = (record: TokenRecord, authContext: AuthContext, catalog: boolean): MaybePromise<SizedText> =>
    andThen(tails.get(authContext) ?? makeTail(authContext), ({ whole, withoutCatalog }) => {
      const head = heads.get(record) ?? makeHead(record);
      const tail = catalog ? whole : withoutCatalog;
      return { text: head.text + tail.text, bytes: head.bytes + tail.bytes };
    });
  return Object.assign(text, { catalogOf });
}
