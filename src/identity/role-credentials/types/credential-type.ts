// A type of credentials: what a person can have issued about their roles in an application.
import { isIP } from 'node:net';
import type { Language } from '../../../platform/languages/index.ts';
import type { IssuedFormatName, IssuedType } from '../../../verifiable/issuing/index.ts';
import type { HeldAppRole } from '../../applications/app-roles/index.ts';
import type { CredentialTypeRow } from '../../ground/database/index.ts';
import { LANGUAGES, type PageWords } from '../../ground/look/index.ts';

/** Versions of the W3C data model, for W3C credentials. */
export const DATA_MODELS = ['2.0', '1.1'] as const;
export type DataModel = (typeof DATA_MODELS)[number];
/** What a credential calls its holder: nothing, or the id of the user. */
export const SUBJECTS = ['none', 'user'] as const;
export type Subject = (typeof SUBJECTS)[number];
/** What a credential can say about its holder beside the roles. The holder decides whom to show it. */
export const PROFILE_CLAIMS = ['name', 'email', 'given_name', 'family_name', 'preferred_username', 'organization'] as const;
export type ProfileClaim = (typeof PROFILE_CLAIMS)[number];
export type ClaimName = keyof PageWords['claimNames'];
/** As wallets show a claim, in each language. */
export const claimNames = (claim: ClaimName): [Language, string][] =>
  Object.values(LANGUAGES).map(({ language, claimNames }) => [language, claimNames[claim]]);

export interface CredentialType {
  /** Also the id of its credential configurations, without what names the format. */
  readonly id: string;
  /** Whose managers manage it. Its roles are in the credential. */
  readonly applicationId: string;
  /** Further applications whose roles are in it. */
  readonly targets: readonly string[];
  /** The type in the W3C formats, such as `CityWorkerCredential`. */
  readonly typeName: string;
  /** For people. */
  readonly name: string;
  readonly description: string;
  readonly formats: readonly IssuedFormatName[];
  readonly dataModel: DataModel;
  readonly validitySeconds: number;
  /** Ids of the roles that may be in it. Internal roles never are. */
  readonly roles: 'all' | readonly string[];
  /** Roles in these organizations; `default`: in the default organization of the holder. */
  readonly organizations: 'all' | 'default' | readonly string[];
  readonly claims: readonly ProfileClaim[];
  /** With `user`, whoever sees two copies knows that they are of one person. */
  readonly subject: Subject;
  readonly enabled: boolean;
  /** In seconds. */
  readonly createdAt: number;
}

/** Cache tag of a type. Also dropped when something that may be in its credentials changes: see the tags of its applications. */
export const credentialTypeTag = (id: string): string => `credential-type:${id}`;
/** Cache tag of the list of all types. */
export const CREDENTIAL_TYPES_TAG = 'credential-types';

const TYPES_PATH = '/openid/credential-types/';
/** The `vct` of a type: where its metadata is. */
export const vctOf = (issuer: string, { id }: Pick<CredentialType, 'id'>): string => `${issuer}${TYPES_PATH}${id}`;

/** The doctype of a type: the name of the host backwards, then the id of the type. Nobody chooses it, so nobody takes that of others. */
export function doctypeOf(issuer: string, { id }: Pick<CredentialType, 'id'>): string {
  const { hostname, pathname } = new URL(issuer);
  const address = hostname.replace(/^\[|\]$/g, '');
  const host = isIP(address) === 0 ? address.split('.').reverse() : [address];
  return [...host, ...pathname.split('/').filter((part) => part !== ''), id].join('.');
}

/** What credentials call the type. */
export const issuedTypeOf = (issuer: string, type: CredentialType): IssuedType => ({
  vct: vctOf(issuer, type),
  doctype: doctypeOf(issuer, type),
  typeName: type.typeName,
  dataModel: type.dataModel,
});

export const toCredentialType = (row: CredentialTypeRow, targets: readonly string[]): CredentialType => ({
  id: row.id,
  applicationId: row.application_id,
  targets,
  typeName: row.type_name,
  name: row.name,
  description: row.description,
  formats: JSON.parse(row.formats) as IssuedFormatName[],
  dataModel: row.data_model as DataModel,
  validitySeconds: row.validity_seconds,
  roles: JSON.parse(row.roles) as 'all' | string[],
  organizations: JSON.parse(row.organizations) as 'all' | 'default' | string[],
  claims: JSON.parse(row.claims) as ProfileClaim[],
  subject: row.subject as Subject,
  enabled: row.enabled === 1,
  createdAt: row.created_at,
});

/** All applications whose roles are in it, its own first. */
export const applicationsOf = ({ applicationId, targets }: CredentialType): readonly string[] => [applicationId, ...targets];

/** Of the roles that a user has in one of the applications, those that belong into a credential of this type: see `inspectUserPermissions`. */
export function rolesForType(type: CredentialType, held: readonly HeldAppRole[]): HeldAppRole[] {
  return held.filter(
    (role) =>
      role.obstacle === undefined &&
      role.role_is_internal === 0 &&
      (type.roles === 'all' || type.roles.includes(role.role_id)) &&
      (type.organizations === 'all' ||
        (type.organizations === 'default' ? role.inDefaultOrganization : type.organizations.includes(role.organization_id))),
  );
}
