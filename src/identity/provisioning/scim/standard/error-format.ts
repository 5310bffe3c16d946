// The error format of SCIM (RFC 7644, 3.12).
import { type ErrorFormat, resourceMetadata, t } from '../../../../platform/http/index.ts';
import { SCIM_PATH } from '../../../applications/apis/index.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
export const SCIM_JSON = 'application/scim+json';

/** `scimType` (RFC 7644, table 9; RFC 9865) by our error code. */
const scimTypes: Readonly<Record<string, string>> = {
  'scim.invalid_filter': 'invalidFilter',
  'scim.too_many': 'tooMany',
  'scim.invalid_path': 'invalidPath',
  'scim.no_target': 'noTarget',
  'scim.mutability': 'mutability',
  'scim.invalid_value': 'invalidValue',
  'scim.invalid_syntax': 'invalidSyntax',
  'scim.invalid_cursor': 'invalidCursor',
  'scim.invalid_count': 'invalidCount',
  'resource.duplicate': 'uniqueness',
  'user.name_alike': 'uniqueness',
  'resource.id_fixed': 'mutability',
  'resource.domain_fixed': 'mutability',
  'request.bad_value': 'invalidValue',
  'request.invalid_field': 'invalidValue',
  'request.malformed_json': 'invalidSyntax',
  'request.not_an_object': 'invalidSyntax',
  'user.password_short': 'invalidValue',
  'user.password_common': 'invalidValue',
  'user.password_rule': 'invalidValue',
  'user.password_pattern': 'invalidValue',
  'user.password_reused': 'invalidValue',
};

export const scimTypeOf = (code: string): string | undefined => (Object.hasOwn(scimTypes, code) ? scimTypes[code] : undefined);

const challenge = (base: string): string => `Bearer realm="scim", ${resourceMetadata(base, SCIM_PATH)}`;

export const scimErrors: ErrorFormat<{ body: unknown }> = ({ status, code, message, detail }, base) => ({
  body: {
    schemas: [ERROR],
    status: String(status),
    ...(Object.hasOwn(scimTypes, code) ? { scimType: scimTypes[code] } : {}),
    detail: message,
    ...detail,
  },
  headers: { 'Content-Type': SCIM_JSON, ...(status === 401 ? { 'WWW-Authenticate': challenge(base) } : {}) },
});

export const ScimError = t.object(
  { schemas: t.array(t.string()), status: t.string(), detail: t.string() },
  { scimType: t.string() },
);

t.name({ ScimError });
