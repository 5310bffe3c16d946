// Reasons that concern one kind of thing each. More general ones are in reasons.ts, and count first.
import type { Reason } from './reason.ts';

const people: Reason[] = [
  {
    kind: 'status',
    difference: /^403 -> 200$/,
    request: /^GET \/v3\/domains as domain-reader/,
    why: 'a token of a domain shows that domain',
  },
  {
    kind: 'count',
    difference: /^domains \d+ -> 1$/,
    request: /^GET \/v3\/domains as domain-admin/,
    why: 'a token of a domain shows that domain',
  },
  {
    kind: 'status',
    difference: /^201 -> 400$/,
    request: /^POST \/v3\/domains .*"no_such"/,
    why: 'an option that does not exist is refused, as for users and projects',
  },
  { kind: 'shape', difference: /\.explicit_domain_id string -> absent$/, why: 'the id says it' },
  {
    kind: 'status',
    difference: /^403 -> 20[04]$/,
    request: /\/v3\/domains\/\{fixed\}/,
    why: 'an immutable domain can be made mutable again, as projects and roles; in Keystone it stays for ever',
  },
  {
    kind: 'count',
    difference: /^(projects|domains) \d+ -> \d+$/,
    request: /^GET \/v3\/(projects\?is_domain=true|domains)/,
    why: 'the domain that stays immutable, and the one with an unknown option (above)',
  },
  {
    kind: 'shape',
    difference: /^(projects|domains)\[\]\.options\.immutable boolean -> absent$/,
    why: 'the domain that stays immutable (above)',
  },
  {
    kind: 'shape',
    difference: /^(project|domain)\.description null -> string$/,
    why: 'null takes the description away: it is empty then',
  },
  { kind: 'shape', difference: /^domain\.extra absent -> object$/, why: 'as in the answer to a change of a user or a project' },
  {
    kind: 'shape',
    difference: /^project\.(parents|subtree) empty list -> (list|absent)$/,
    why: 'administrators see the whole tree, not only where they have roles; and false is false',
  },
  {
    kind: 'status',
    difference: /^400 -> 201$/,
    request: /^POST \/v3\/projects .*without-a-domain/,
    why: 'the domain of a new project is that of its parent, not that of the token',
  },
];

const roles: Reason[] = [
  {
    kind: 'status',
    difference: /^400 -> 201$/,
    request: /^POST \/v3\/roles .*"description":null/,
    why: 'a description may be null, as that of a region',
  },
  {
    kind: 'status',
    difference: /^201 -> 40[04]$/,
    request: /^POST \/v3\/roles .*"domain_id"/,
    why: 'a role is of a domain that exists',
  },
  {
    kind: 'count',
    difference: /^roles \d+ -> \d+$/,
    request: /^GET \/v3\/roles/,
    why: 'the contract: a new installation has more roles; and those that only one of the two took (above)',
  },
  {
    kind: 'shape',
    difference: /^roles\[\]\.description string -> null or string$/,
    why: 'the role with the description null (above)',
  },
];

const catalog: Reason[] = [
  {
    kind: 'status',
    difference: /^201 -> 400$/,
    request: /^POST \/v3\/services .*"description":7/,
    why: 'a description is a text',
  },
  {
    kind: 'shape',
    difference: /^services\[\]\.description integer or string -> string$/,
    why: 'the service with a number (above)',
  },
  { kind: 'count', difference: /^services \d+ -> \d+$/, why: 'the service with a number (above)' },
  {
    kind: 'status',
    difference: /^400 -> 201$/,
    request: /^POST \/v3\/endpoints .*"region_id":null/,
    why: 'an endpoint may be in no region; null says so',
  },
  {
    kind: 'shape',
    difference: /^endpoints\[\]\.region(_id)? (string -> null or string|absent -> .*)$/,
    why: 'the endpoint without a region (above); and an addition: region in the lists of OS-ENDPOINT-POLICY',
  },
  { kind: 'count', difference: /^endpoints \d+ -> \d+$/, why: 'the endpoint without a region (above)' },
  {
    kind: 'status',
    difference: /^200 -> 400$/,
    request: /^PATCH \/v3\/endpoints\/.*no_such/,
    why: 'an address that cannot be filled in is refused in a change, too, as Keystone does for a new endpoint',
  },
];

const delegation: Reason[] = [
  {
    kind: 'shape',
    difference: /^application_credentials?(\[\])?\.roles\[\]\.links absent -> object$/,
    why: 'an addition: links of roles',
  },
  {
    kind: 'shape',
    difference: /^application_credentials?(\[\])?\.unrestricted (boolean or )?null -> boolean$/,
    why: 'a flag that nobody gave is false',
  },
  {
    kind: 'status',
    difference: /^404 -> 400$/,
    request: /application_credentials .*"no-such-role"/,
    why: 'a role that does not exist is refused like one that the user does not have',
  },
  {
    kind: 'status',
    difference: /^403 -> 200$/,
    request: /\/access_rules as (domain-)?admin/,
    why: 'whoever sees an application credential sees its access rules',
  },
  { kind: 'shape', difference: /^error\.identity object -> absent$/, why: 'an empty list of further methods is left out' },
  {
    kind: 'status',
    difference: /^(200|403|404) -> (401|403)$/,
    request: /as ruled-program/,
    why: 'access rules hold for this API, too: this token may call another service only. Keystone does not check them for itself',
  },
  {
    kind: 'status',
    difference: /^403 -> 400$/,
    request: /^POST \/v3\/OS-TRUST\/trusts/,
    why: 'the body is checked before the permission, as everywhere',
  },
  {
    kind: 'shape',
    difference: /^token\.roles\[\]\.(description|domain_id|options) \w+ -> absent$/,
    why: 'roles of a token are id and name',
  },
  {
    kind: 'status',
    difference: /^403 -> 200$/,
    request: /^GET \/v3\/auth\/tokens as impersonating-trusted/,
    why: 'whoever has a token may ask about it',
  },
  {
    kind: 'status',
    difference: /^404 -> 401$/,
    request: /^GET \/v3\/auth\/projects as trusted/,
    why: 'a token whose trust was deleted is not valid',
  },
];

const signatures: Reason[] = [
  { kind: 'status', difference: /^404 -> 400$/, request: /^POST .*credentials\/OS-EC2/, why: 'a missing or bad field is 400' },
  {
    kind: 'status',
    difference: /^404 -> 401$/,
    request: /^POST \/v3\/(ec2|s3)tokens/,
    why: 'an unknown key is refused like a wrong signature',
  },
  {
    kind: 'status',
    difference: /^401 -> 400$/,
    request: /^POST \/v3\/(ec2|s3)tokens/,
    why: 'nobody was refused: it is no signature',
  },
  {
    kind: 'header',
    difference: /^www-authenticate keystoneuri="\{url\}\/v3" -> basicrealm="identity"$/,
    request: /OS-OAUTH2\/token/,
    why: 'RFC 6749: the client authenticates by HTTP Basic',
  },
  {
    kind: 'status',
    difference: /^404 -> 401$/,
    request: /OS-OAUTH2\/token/,
    why: 'a stranger does not learn which application credentials exist',
  },
  { kind: 'status', difference: /^201 -> 400$/, request: /OS-OAUTH1\/consumers/, why: 'a body has the thing that it creates' },
  { kind: 'count', difference: /^consumers \d+ -> \d+$/, why: 'the consumers that Keystone made of empty bodies (above)' },
  {
    kind: 'status',
    difference: /^404 -> 400$/,
    request: /OS-OAUTH1\/(request_token|authorize)/,
    why: 'a missing or bad field is 400',
  },
  {
    kind: 'status',
    difference: /^403 -> (200|404)$/,
    request: /OS-OAUTH1\/access_tokens.* as project-member/,
    why: 'users see and end access tokens of their own',
  },
];

const federation: Reason[] = [
  { kind: 'status', difference: /^201 -> 400$/, request: /mappings\/.*"anything"/, why: 'an unknown field would do nothing' },
  {
    kind: 'status',
    difference: /^200 -> 400$/,
    request: /^PATCH .*\/(mappings|domains)\/.*"id":"another-id"/,
    why: 'an id does not change',
  },
  { kind: 'shape', difference: /^mappings?(\[\])?\.schema_version absent -> string$/, why: 'as in later versions of Keystone' },
  { kind: 'count', difference: /^mappings \d+ -> \d+$/, why: 'the mapping with an unknown field (above)' },
  {
    kind: 'status',
    difference: /^(201|409) -> 400$/,
    request: /^PUT \/v3\/OS-FEDERATION\/identity_providers/,
    why: 'a body has the thing that it creates',
  },
  {
    kind: 'count',
    difference: /^identity_providers \d+ -> \d+$/,
    why: 'the providers that Keystone made of empty bodies (above)',
  },
  {
    kind: 'shape',
    difference: /^protocols?(\[\])?\.(remote_id_attribute absent -> .*|idp_id string -> absent)$/,
    why: 'as the API documents have it: with remote_id_attribute, without idp_id',
  },
  {
    kind: 'status',
    difference: /^200 -> 404$/,
    request: /identity_providers\/no-such\/protocols/,
    why: 'a provider that does not exist has no list',
  },
  {
    kind: 'shape',
    difference: /^config\.ldap\.(chase_referrals null -> boolean|pool_connection_timeout integer -> null)$/,
    request: /config\/(ldap\/)?default/,
    why: 'the defaults that are in force here; null for an option that there is not',
  },
  {
    kind: 'status',
    difference: /^403 -> 400$/,
    request: /\/v3\/domains\/\{other\}\/config/,
    why: 'a missing field is 400',
  },
];

export const AREA_REASONS: readonly Reason[] = [...people, ...roles, ...catalog, ...delegation, ...signatures, ...federation];
