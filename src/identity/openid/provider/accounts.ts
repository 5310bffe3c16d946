// Users as accounts of the OpenID provider: the claims of each scope.

import type { UserPermissionsReader } from '../../applications/app-roles/index.ts';
import { OPENID_SCOPES, openidFieldsOf } from '../../applications/consumers/index.ts';
import type { Pictures } from '../../directory/pictures/index.ts';
import {
  displayNameOf,
  isEmailConfirmed,
  isLanguage,
  isPlainAddress,
  isZone,
  type Profile,
  sharedText,
  type Users,
  type UserWithExpiry,
} from '../../directory/users/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { isWebAddress, parseJson } from '../../ground/resource/index.ts';
import { picturePath } from '../paths/index.ts';

/** The claims of each scope. docs/guide/first-application.md has the same table. */
export const CLAIMS = {
  openid: ['sub', 'acr', 'amr'],
  profile: [
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'locale',
    'zoneinfo',
    'updated_at',
    'displayName',
  ],
  email: ['email', 'email_verified'],
  roles: ['roles'],
  organizations: ['organizations'],
  /** The user information of Keyrock's back-end. */
  all_info: ['id', 'email', 'displayName', 'roles', 'organizations', 'app_id', 'isGravatarEnabled', 'username'],
} as const satisfies Partial<Record<(typeof OPENID_SCOPES)[number], readonly string[]>>;

/** Allows provisioning the user's domain, if the user may do so. */
export const PROVISIONING_SCOPE = 'scim';
export const SCOPES: readonly string[] = OPENID_SCOPES;

interface ApplicationRoles {
  readonly roles: readonly { id: string; name: string }[];
  readonly organizations: readonly { id: string; name: string; roles: readonly { id: string; name: string }[] }[];
}

/** Whether the claims of these scopes name roles. */
export const tellsRoles = (scopes: ReadonlySet<string>): boolean =>
  scopes.has('roles') || scopes.has('organizations') || scopes.has('all_info');

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
/** Applications make links of them. Others may have been stored before they were checked, or by a directory. */
const link = (value: unknown): string | undefined => (isWebAddress(value) ? value : undefined);
/** Clients of SCIM write `en_US`, too. */
const languageTag = (value: string | undefined): string | undefined => {
  const tag = value?.replaceAll('_', '-');
  return tag !== undefined && isLanguage(tag) ? tag : undefined;
};
const zone = (value: string | undefined): string | undefined => (value !== undefined && isZone(value) ? value : undefined);
const address = (value: unknown): string | undefined => (isPlainAddress(value) ? text(value) : undefined);

/** Whether an application may ask for one of these scopes. */
export type MayTell = (...scopes: readonly string[]) => boolean;

export function mayTellOf(consumer: Pick<ConsumerRow, 'extra'>): MayTell {
  const allowed = openidFieldsOf(parseJson(consumer.extra)).allowed_scopes as readonly string[] | undefined;
  return (...scopes) => allowed === undefined || ['all_info', ...scopes].some((scope) => allowed.includes(scope));
}

/** What Keyrock's clients show of a person. */
const keyrockName = ({ name }: UserWithExpiry, { displayName }: Profile): string => text(displayName) ?? name;

interface AccountsDeps {
  readonly users: Users;
  readonly userPermissions: UserPermissionsReader;
  readonly pictures: Pictures;
  /** The URL of the service; known once it listens. */
  issuer(): string;
}

export function createAccounts({ users, userPermissions, pictures, issuer }: AccountsDeps) {
  /** The picture that the person uploaded, or the one in their profile. */
  async function pictureOf({ id }: UserWithExpiry, profile: Profile): Promise<string | undefined> {
    const own = await pictures.idOf(id);
    if (own !== undefined) return `${issuer()}${picturePath(own)}`;
    const photos = (Array.isArray(profile.photos) ? profile.photos : []) as { value?: unknown; primary?: unknown }[];
    return link((photos.find(({ primary }) => primary === true) ?? photos[0])?.value);
  }

  /** The roles of the user in an application, in the format of Keyrock's back-end. */
  async function rolesIn(userId: string, applicationId: string): Promise<ApplicationRoles> {
    const found = await userPermissions.of(userId, applicationId);
    const { roles, organizations } = found ? (JSON.parse(found.text) as ApplicationRoles) : { roles: [], organizations: [] };
    return { roles, organizations: organizations.map(({ id, name, roles: own }) => ({ id, name, roles: own })) };
  }

  /** `GET /v3/access-tokens/{token}` and the scope `all_info`. What an application may not ask for it is not told here, either. */
  async function keyrockInformation(user: UserWithExpiry, applicationId: string, mayTell: MayTell = () => true) {
    const { email } = parseJson<{ email?: unknown }>(user.extra);
    return {
      id: user.id,
      email: (mayTell('email') && address(email)) || '',
      displayName: mayTell('profile') ? keyrockName(user, parseJson<Profile>(user.profile)) : '',
      ...(mayTell('roles', 'organizations') ? await rolesIn(user.id, applicationId) : { roles: [], organizations: [] }),
      app_id: applicationId,
      isGravatarEnabled: false,
      username: mayTell('profile') ? user.name : '',
    };
  }

  /** `named`: those that the parameter `claims` names. What takes a look of its own is read only for who gets it. */
  async function claims(user: UserWithExpiry, applicationId: string, scopes: ReadonlySet<string>, named: readonly string[] = []) {
    const profile = parseJson<Profile>(user.profile);
    const extra = parseJson<Record<string, unknown>>(user.extra);
    const { email } = extra;
    const stored = { extra, profile };
    const wantsRoles = tellsRoles(scopes);
    return {
      sub: user.id,
      name: displayNameOf(user),
      given_name: sharedText('given_name', stored),
      family_name: sharedText('family_name', stored),
      middle_name: sharedText('middle_name', stored),
      nickname: sharedText('nickname', stored),
      preferred_username: user.name,
      profile: link(profile.profileUrl),
      picture: scopes.has('profile') || named.includes('picture') ? await pictureOf(user, profile) : undefined,
      locale: [sharedText('language', stored), sharedText('locale', stored)].map(languageTag).find((tag) => tag !== undefined),
      zoneinfo: zone(sharedText('zoneinfo', stored)),
      displayName: keyrockName(user, profile),
      updated_at: Math.floor(user.updated_at / 1000),
      ...(address(email)
        ? { email: address(email), email_verified: isEmailConfirmed(user) && user.confirmed_email === email }
        : {}),
      ...(wantsRoles ? await rolesIn(user.id, applicationId) : {}),
      ...(scopes.has('all_info') ? await keyrockInformation(user, applicationId) : {}),
    };
  }

  return { claims, keyrockInformation, find: (id: string) => users.find(id), hasLeft: (id: string) => users.hasLeft(id) };
}

export type Accounts = ReturnType<typeof createAccounts>;
