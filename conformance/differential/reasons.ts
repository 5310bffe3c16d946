// Why answers differ from Keystone's. A difference without a reason fails the run, and so does a reason without a difference.
import type { Difference } from './compare.ts';
import { AREA_REASONS } from './reasons-of-areas.ts';

export interface Reason {
  readonly kind: Difference['kind'];
  /** Of `at keystone -> ours`. */
  readonly difference: RegExp;
  /** Of `METHOD path as persona body`, with names for ids. All requests if absent. */
  readonly request?: RegExp;
  readonly why: string;
  /** On every answer: answers that differ in nothing else count as the same. */
  readonly everywhere?: true;
}

export const REASONS: readonly Reason[] = [
  {
    kind: 'header',
    difference: /^(x-content-type-options|cache-control) absent -> present$/,
    why: 'hardening: answers are not cached and not sniffed',
    everywhere: true,
  },
  { kind: 'header', difference: /^etag absent -> present$/, why: 'an addition: ETag and If-Match, against lost updates' },
  {
    kind: 'header',
    difference: /^www-authenticate keystoneuri="\{url\}\/v3" -> keystoneuri="\{url\}"$/,
    why: 'the contract: `Keystone uri="<base>"`',
  },
  { kind: 'header', difference: /^vary x-auth-token -> accept, x-auth-token$/, why: 'the answer depends on Accept (JSON Home)' },
  {
    kind: 'header',
    difference: /^content-type text\/html;charset=utf-8 -> (application\/json|absent)$/,
    why: 'errors are JSON for every path; answers without a body have no type',
  },
  { kind: 'shape', difference: /^string -> object$/, why: 'errors of unknown paths are JSON, not HTML' },
  {
    kind: 'shape',
    difference: /^(error absent -> object|message string -> absent)$/,
    why: '405 has the error format of all other errors; Keystone answers that of its web framework',
  },
  {
    kind: 'header',
    difference: /^allow /,
    why: 'Allow lists what works on that path. Keystone lists the methods of the collection for a member and the other way round',
  },
  {
    kind: 'header',
    difference: /^location \{url\}\/v3\/\{\w+\}\/tags/,
    why: 'the address of the tag; that of Keystone does not exist',
  },
  { kind: 'status', difference: /^400 -> 415$/, why: 'the contract: another content type is 415' },
  {
    kind: 'status',
    difference: /^0 -> 405$/,
    why: 'the contract: 405 for a wrong method; Keystone fails and closes the connection',
  },
  {
    kind: 'status',
    difference: /^200 -> 400$/,
    request: /[?&](limit|marker)=/,
    why: 'the contract: pages by limit and marker, and a bad value is 400; Keystone does not know them',
  },
  {
    kind: 'count',
    difference: /-> 1$/,
    request: /[?&]limit=1/,
    why: 'the contract: pages by limit and marker; Keystone does not know them',
  },
  {
    kind: 'shape',
    difference: /^(links\.next null -> string|\w+\[\]\.[\w.:-]+ .* -> .*)$/,
    request: /[?&]limit=1/,
    why: 'the contract: pages by limit and marker; a page has fewer elements',
  },
  {
    kind: 'status',
    difference: /^200 -> 400$/,
    request: /(enabled|is_domain)=maybe/,
    why: 'the contract: a bad value of a filter is 400',
  },
  {
    kind: 'status',
    difference: /^201 -> 404$/,
    request: /POST \/v3\/credentials .*no-such/,
    why: 'a credential is of a user and a project that exist',
  },
  { kind: 'status', difference: /^(0|500) -> (200|4\d\d)$/, why: 'Keystone fails' },
  {
    kind: 'status',
    difference: /^404 -> 401$/,
    request: /application_credential/,
    why: 'a stranger does not learn which application credentials exist',
  },
  {
    kind: 'status',
    difference: /^201 -> 400$/,
    request: /implies\/\{auditor\}/,
    why: 'a role cannot imply itself; Keystone takes it',
  },
  {
    kind: 'status',
    difference: /^401 -> (400|403|20\d)$/,
    request: /as project-member/,
    why: 'Keystone ends the tokens of a user who leaves a group; here the token loses the roles of the group at once and stays',
  },
  {
    kind: 'status',
    difference: /^404 -> 200$/,
    request: /credentials\/\{mine\}/,
    why: 'made by the request before, which Keystone refused with 401 (above)',
  },
  {
    kind: 'status',
    difference: /^401 -> 201$/,
    request: /"scope":\{"domain":\{"(id|name)":"[Dd]efault"/,
    why: 'the contract: the first administrator has the role admin on the domain, too',
  },
  {
    kind: 'shape',
    difference: /^domains empty list -> list$/,
    request: /(auth|OS-FEDERATION)\/domains/,
    why: 'the contract: the first administrator has the role admin on the domain, too',
  },
  {
    kind: 'count',
    difference: /^role_assignments \d+ -> \d+$/,
    request: /role_assignments( |\?(include_names|user|group|role\.|scope\.domain|no_such))/,
    why: 'the contract: the first administrator has the role admin on the domain, too; and grants that Keystone took above: for nobody, and of roles of other domains',
  },
  {
    kind: 'shape',
    difference: /^(token\.(catalog|is_domain|project|roles)|users?(\[\])?\.default_project_id) absent -> /,
    why: 'the first administrator has a default project, and a login without a scope is for it, as in Keystone',
  },
  {
    kind: 'status',
    difference: /^200 -> 404$/,
    request: /^OPTIONS \/v3\/no-such-thing/,
    why: 'a path that is not there has no methods',
  },
  { kind: 'status', difference: /^308 -> 404$/, request: /^GET \/v3\/\/users/, why: 'a path with an empty part is not there' },
  {
    kind: 'status',
    difference: /^(401|404) -> 400$/,
    request: /^POST \/v3\/auth\/tokens/,
    why: 'the contract: a missing or empty field is 400',
  },
  {
    kind: 'status',
    difference: /^400 -> 401$/,
    request: /"methods":\["mapped"\]/,
    why: 'the method mapped is served at the paths of OS-FEDERATION only; here it is a method that is not supported',
  },
  {
    kind: 'header',
    difference: /^content-type application\/json -> absent$/,
    request: /^HEAD \/v3\/auth\/tokens/,
    why: 'answers without a body have no type',
  },
  {
    kind: 'status',
    difference: /^200 -> 400$/,
    request: /[?&]([\w.]+)=[^&]*&\1=/,
    why: 'what is no text filter is refused when it is given twice: what was checked must be what is shown',
  },
  {
    kind: 'status',
    difference: /^400 -> 201$/,
    request: /^POST \/v3\/groups .*x{65}/,
    why: 'groups of directories have longer names',
  },
  {
    kind: 'count',
    difference: /^groups 2 -> 3$/,
    request: /^GET \/v3\/groups/,
    why: 'the group with a long name, which Keystone refused (above)',
  },
  { kind: 'shape', difference: /^links absent -> object$/, request: /role_inferences/, why: 'an addition: links.self' },
  {
    kind: 'status',
    difference: /^204 -> 403$/,
    request: /^PUT .*domains\/.*\{far-keeper\}/,
    why: 'a role of one domain is not inherited by the projects of another one',
  },
  {
    kind: 'shape',
    difference: /./,
    request: /role_assignments\?include_names=false/,
    why: 'the contract: false is false; in Keystone it is true',
  },
  {
    kind: 'shape',
    difference: /./,
    request: /role_assignments\?(scope\.system=other|scope\.OS-INHERIT:inherited_to=projects|effective)/,
    why: 'role assignments: those on the system take effect, a filter filters, false is false, and no role implies itself',
  },
  {
    kind: 'count',
    difference: /./,
    request: /role_assignments\?(scope\.system=other|scope\.OS-INHERIT:inherited_to|effective)/,
    why: 'role assignments: those on the system take effect, a filter filters, false is false, and no role implies itself',
  },
  {
    kind: 'status',
    difference: /^204 -> 400$/,
    request: /^POST \/v3\/users\/\{changer\}\/password/,
    why: 'a new password is another one',
  },
  {
    kind: 'status',
    difference: /^400 -> 201$/,
    request: /^POST \/v3\/credentials .*"cert"/,
    why: 'a credential without a user is the caller’s',
  },
  {
    kind: 'status',
    difference: /^400 -> (404|200)$/,
    request: /^PATCH \/v3\/credentials/,
    why: 'also the type, the project and the owner of a credential can be changed; they are checked as for a new one',
  },
  {
    kind: 'count',
    difference: /^credentials /,
    why: 'of the credentials above, Keystone took or refused others; a system reader does not see keys of authenticator apps',
  },
  {
    kind: 'shape',
    difference: /^credentials(\[\]\.project_id null or string -> null| list -> empty list)$/,
    why: 'of the credentials above, Keystone took or refused others',
  },
  {
    kind: 'shape',
    difference: /^role_assignments list -> empty list$/,
    request: /user\.id=no-such/,
    why: 'grants that Keystone took above, for nobody',
  },
  {
    kind: 'status',
    difference: /^401 -> 400$/,
    request: /websso/,
    why: 'nobody was refused: no dashboard is named',
  },
  {
    kind: 'shape',
    difference: /^resources\.\S+\/(ecp|metadata|saml2|revocations) object -> absent$/,
    why: 'SAML and the list for PKI tokens are not served',
  },
  {
    kind: 'count',
    difference: /^events \d+ -> \d+$/,
    request: /OS-REVOKE/,
    why: 'an account that is enabled again is listed like one that is disabled',
  },
  {
    kind: 'status',
    difference: /^404 -> 401$/,
    request: /OS-OAUTH2\/consumers/,
    why: 'a path of Keyrock’s back-end, which Keystone does not have',
  },
  {
    kind: 'status',
    difference: /^404 -> (200|401|403)$/,
    request: /^GET \/v3\/OS-INHERIT\/projects\/.*\/roles\/inherited_to_projects/,
    why: 'an addition: roles that are inherited from a project are listed, as those of a domain',
  },
  {
    kind: 'status',
    difference: /^20[04] -> 404$/,
    request: /\/(users|groups)\/no-such\/roles/,
    why: 'a grant is for somebody who exists',
  },
  ...AREA_REASONS,
];
