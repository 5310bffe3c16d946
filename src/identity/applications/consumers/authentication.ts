// How one application proves who it is.
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { hashOf } from '../../ground/resource/index.ts';
import {
  CERTIFICATE_NAMES,
  type CertificateName,
  CLIENT_AUTHENTICATIONS,
  type ClientAuthenticationMethod,
} from './client-authentications.ts';
import type { ClientKeyAlgorithm } from './client-keys.ts';
import { attributesOf, openidFieldsOf } from './openid-fields.ts';
import { brokenRule, impliedBy, profileOf, type SecurityProfile } from './security-profiles.ts';
import type { WorkloadIdentity } from './workload-identities.ts';

type AuthenticatedRow = Pick<
  ConsumerRow,
  'redirect_uris' | 'client_type' | 'grant_type' | 'extra' | 'skips_consent' | 'skips_consent_for'
>;

export interface RegisteredAuthentication {
  readonly method: ClientAuthenticationMethod;
  /** Its public keys, by value or by address. */
  readonly jwks: unknown;
  readonly jwksUri: string | undefined;
  /** The only algorithm that its assertions may have. */
  readonly algorithm: ClientKeyAlgorithm | undefined;
  /** The workloads that it is. */
  readonly workloads: readonly WorkloadIdentity[];
  /** The name of its certificates. */
  readonly names: readonly (readonly [CertificateName, string])[];
}

type Fields = Readonly<Partial<Record<CertificateName, string>>> & {
  readonly token_endpoint_auth_method?: ClientAuthenticationMethod;
  readonly token_endpoint_auth_signing_alg?: ClientKeyAlgorithm;
  readonly jwks?: unknown;
  readonly jwks_uri?: string;
  readonly workload_identities?: readonly WorkloadIdentity[];
  readonly dpop_bound_access_tokens?: boolean;
  readonly require_signed_request_object?: boolean;
  readonly introspection_signed_response_alg?: string;
  readonly tls_client_certificate_bound_access_tokens?: boolean;
};

const fieldsOf = (row: AuthenticatedRow): Fields => openidFieldsOf(attributesOf(row)) as Fields;

/** A client with a secret, a key or a certificate must always use it. */
export function authenticationOf(row: AuthenticatedRow): RegisteredAuthentication {
  const fields = fieldsOf(row);
  const { token_endpoint_auth_method: registered = 'none' } = fields;
  const usual = registered === 'none' ? 'client_secret_basic' : registered;
  return {
    method: row.client_type === 'public' ? 'none' : usual,
    jwks: fields.jwks,
    jwksUri: fields.jwks_uri,
    algorithm: fields.token_endpoint_auth_signing_alg,
    workloads: fields.workload_identities ?? [],
    names: CERTIFICATE_NAMES.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  };
}

/** By what is registered of it, and can be taken away from it: a key, a certificate, or what its platform calls it. */
export const provesItselfByKey = (row: AuthenticatedRow): boolean =>
  ['key', 'workload', 'certificate'].includes(CLIENT_AUTHENTICATIONS[authenticationOf(row).method].proof);

/** What signs answers of introspection for it. */
export function introspectionAlgorithmOf(row: AuthenticatedRow): string {
  const fields = fieldsOf(row);
  const { introspection_signed_response_alg: alg = 'RS256' } = { ...fields, ...impliedBy(profileOf(fields), fields) };
  return String(alg);
}

/** Another one after each change of how the application proves itself. */
export const authenticationStamp = (row: AuthenticatedRow): string =>
  hashOf('client authentication', JSON.stringify([authenticationOf(row), securityProfileOf(row) ?? null]));

/** The profile of security that it is registered with. */
export const securityProfileOf = (row: AuthenticatedRow): SecurityProfile | undefined => profileOf(fieldsOf(row));

/** A change of one of these is checked with the rest. */
export const AUTHENTICATION_FIELDS: readonly string[] = [
  'client_type',
  'token_endpoint_auth_method',
  'jwks',
  'jwks_uri',
  'workload_identities',
  'dpop_bound_access_tokens',
  'require_signed_request_object',
  'tls_client_certificate_bound_access_tokens',
  ...CERTIFICATE_NAMES,
];

/** What its profile asks for is asked with every change: nothing that it has could be made weaker beside it. */
export function checkProfile(row: AuthenticatedRow): void {
  const { client_type, grant_type, redirect_uris: uris } = row;
  const broken = brokenRule(fieldsOf(row), { client_type, grant_type, redirect_uris: JSON.parse(uris) as string[] });
  if (broken) fail('request.bad_value', { field: broken.field, why: `with its security_profile, ${broken.why}` });
}

/** What the fields of a client have to be together, as they are going to be stored. */
export function checkAuthentication(row: AuthenticatedRow): void {
  const fields = fieldsOf(row);
  const refuse = (field: keyof Fields, why: string): never => fail('request.bad_value', { field, why });
  const { jwks, jwks_uri: uri, token_endpoint_auth_method: registered = 'none' } = fields;
  if (jwks !== undefined && uri !== undefined)
    refuse('jwks_uri', 'the keys are given by value (jwks) or by address (jwks_uri), not both');
  if (fields.dpop_bound_access_tokens && fields.tls_client_certificate_bound_access_tokens)
    refuse('tls_client_certificate_bound_access_tokens', 'tokens are bound to a key (DPoP) or to a certificate, not to both');
  const hasKeys = jwks !== undefined || uri !== undefined;
  if (fields.require_signed_request_object && !hasKeys)
    refuse('require_signed_request_object', 'signed requests need jwks or jwks_uri');
  const { needs } = CLIENT_AUTHENTICATIONS[registered];
  if (needs === undefined) return;
  if (row.client_type === 'public') refuse('token_endpoint_auth_method', `a public application cannot use ${registered}`);
  if (needs === 'keys' && !hasKeys) refuse('token_endpoint_auth_method', `${registered} needs jwks or jwks_uri`);
  if (needs === 'identities' && fields.workload_identities === undefined)
    refuse('token_endpoint_auth_method', `${registered} needs workload_identities`);
  if (needs === 'name' && authenticationOf(row).names.length !== 1)
    refuse('token_endpoint_auth_method', `${registered} needs exactly one of ${CERTIFICATE_NAMES.join(', ')}`);
}
