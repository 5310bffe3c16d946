// What the OpenID provider asks about APIs. Read anew each time: whatever an administrator changes is true at once.
import type { ApiRow, Database, Reader } from '../../ground/database/index.ts';
import type { UserPermissionsReader } from '../app-roles/index.ts';
import { allApis, findApiByIdentifier } from './apis.store.ts';
import { type Exchange, exchangesOf, otherSpelling, type StoredScope, scopesOf } from './scopes.ts';

/** Of all of them: they rarely change. */
export const APIS_TAG = 'openid_apis';

export type ApiScope = Pick<StoredScope, 'name' | 'description'>;

/** An API as it was when it was asked for. */
export interface Api {
  readonly id: string;
  /** The audience of its tokens. */
  readonly identifier: string;
  readonly name: string;
  readonly tokenFormat: 'opaque' | 'jwt';
  readonly tokenLifetime: number | null;
  readonly applicationId: string | null;
  /** What tokens and consents are bound to: another one after something was taken away, and for an API that was registered anew. */
  readonly version: string;
  readonly scopes: readonly StoredScope[];
  /** Null: all. */
  readonly applications: readonly string[] | null;
  readonly exchanges: readonly Exchange[];
}

const apiOf = (row: ApiRow): Api => ({
  id: row.id,
  identifier: row.identifier,
  name: row.name,
  tokenFormat: row.token_format === 'opaque' ? 'opaque' : 'jwt',
  tokenLifetime: row.token_lifetime,
  applicationId: row.application_id,
  version: `${row.id}.${row.epoch}`,
  scopes: scopesOf(row),
  applications: row.applications === null ? null : (JSON.parse(row.applications) as string[]),
  exchanges: exchangesOf(row),
});

/** Our own API for provisioning, which takes access tokens. */
export const SCIM_PATH = '/scim/v2';
export const SCIM_SCOPE = 'scim';
export const SCIM_API = 'gatehouse_scim';

export const scimIdentifier = (issuer: string): string => `${issuer}${SCIM_PATH}`;

/** It is not registered: what it is, is the program's to say. */
const scimApi = (issuer: string): Api => ({
  id: SCIM_API,
  identifier: scimIdentifier(issuer),
  name: 'SCIM',
  tokenFormat: 'opaque',
  tokenLifetime: null,
  applicationId: null,
  version: SCIM_API,
  // The page for consent has words of its own for it, because it is a scope of the service, too.
  scopes: [{ name: SCIM_SCOPE, description: '' }],
  applications: null,
  exchanges: [],
});

export interface ApisDeps {
  readonly db: Database;
  readonly userPermissions: UserPermissionsReader;
  /** The address of the service. */
  issuer(): string;
}

export function createApis({ db, userPermissions, issuer }: ApisDeps) {
  /** The roles of a person on which their scopes depend. */
  const rolesFor = async (
    { scopes, applicationId }: Api,
    userId: string | undefined,
  ): Promise<Awaited<ReturnType<UserPermissionsReader['of']>>> =>
    userId === undefined || applicationId === null || scopes.every(({ roles }) => !roles)
      ? undefined
      : userPermissions.of(userId, applicationId);

  return {
    rolesFor,

    /** By `resource`, or by the audience of a token. `reader`: of the transaction that goes on with what it finds. */
    async find(resource: string, reader: Reader = db.read): Promise<Api | undefined> {
      const scim = scimApi(issuer());
      if (resource === scim.identifier) return scim;
      const other = otherSpelling(resource);
      const row =
        (await findApiByIdentifier(reader, resource)) ??
        (other === undefined ? undefined : await findApiByIdentifier(reader, other));
      return row && apiOf(row);
    },

    /** Those with one of these scopes, which the application may ask for. */
    async withScopes(names: readonly string[], clientId: string): Promise<readonly Api[]> {
      const all = (await allApis(db.read)).map(apiOf);
      return all.filter(
        (api) => api.scopes.some(({ name }) => names.includes(name)) && (api.applications?.includes(clientId) ?? true),
      );
    },

    /**
     * The scopes that a person can give an application: those that their roles give. Undefined: an application itself, for which those are that need
     * no role. Null: a person who has not said who they are; then nothing is left out.
     */
    async scopesFor(api: Api, userId: string | null | undefined): Promise<readonly ApiScope[]> {
      if (userId === null) return api.scopes;
      const held = await rolesFor(api, userId);
      return api.scopes.filter(({ roles }) => !roles || roles.some((role) => held?.roleIds.has(role)));
    },
  };
}

export type Apis = ReturnType<typeof createApis>;
