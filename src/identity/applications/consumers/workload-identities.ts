// Workloads that have no secret: a platform that runs them, such as a Kubernetes cluster or SPIFFE, gives them a JWT that says who they are
// (RFC 7523). An application names whose word it is, who they say it is, and for whom they have to say it.
import { isClientKeySet, KEY_SET_DESCRIPTION } from './client-keys.ts';
import { isWebUri } from './redirect-uris.ts';

export interface WorkloadIdentity {
  /** `iss`: also the address of its discovery document, if its keys are not given. */
  readonly issuer: string;
  /** `sub`, letter by letter. */
  readonly subject: string;
  /** `aud`. Without one: the address of this service. */
  readonly audience?: string;
  /** Keys of the issuer by value. */
  readonly jwks?: unknown;
}

const MAX = 10;
const MAX_LENGTH = 512;
const NAMES = ['issuer', 'subject', 'audience', 'jwks'];

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.trim() === value && value.length <= MAX_LENGTH;

function isIdentity(value: unknown): value is WorkloadIdentity {
  if (typeof value !== 'object' || value === null || Object.keys(value).some((name) => !NAMES.includes(name))) return false;
  const { issuer, subject, audience, jwks } = value as Readonly<Record<string, unknown>>;
  return (
    isText(issuer) &&
    isText(subject) &&
    (audience === undefined || isText(audience)) &&
    // Its keys are where it says, or here.
    (jwks === undefined ? isWebUri(issuer) && !issuer.includes('?') : isClientKeySet(jwks))
  );
}

export const isWorkloadIdentities = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX && value.every(isIdentity);

export const WORKLOADS_DESCRIPTION = `a list of 1 to ${MAX}, each with issuer and subject, and audience and jwks if needed; the issuer is an address unless it has jwks, ${KEY_SET_DESCRIPTION}`;
