// All that can be said of an application: each attribute as a field of the form, and what is sent of it.
import type { FormField, FormValues } from '../../shared/form.ts';
import { words } from '../words/index.ts';
import { addressProblem, type ConsumerWithSecret, KINDS, linesOf } from './types.ts';

const GRANT_TYPES = ['authorization_code', 'client_credentials', 'refresh_token', 'password', 'implicit'];
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** What applications sign with. */
const CLIENT_ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'ES384', 'RS256'];
const LEAST_LIFETIME = 60;

/** One attribute: how it is shown, and what is sent. */
interface Attribute {
  field(value: unknown): Omit<FormField, 'name' | 'section'>;
  /** What is sent of what was entered. */
  read(values: FormValues, name: string): unknown;
  /** What would be sent if nothing was changed. */
  unchanged(value: unknown): unknown;
  /** Who may change it, beside the rest. */
  readonly rule?: string;
}
type Attributes = Readonly<Record<string, Attribute>>;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
/** What was entered, if it is of this form. What of it can be used, the service knows. */
function parsed(entered: string, isOf: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(entered);
    return isOf(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
const isKeySet = (value: unknown): boolean => Array.isArray((value as { keys?: unknown } | null)?.keys);
const some = (all: readonly string[]): readonly string[] | null => (all.length === 0 ? null : all);

const line = (label: string, more: Partial<FormField> = {}): Attribute => ({
  field: (value) => ({ label, value: text(value), ...more }),
  read: (values, name) => values.text(name),
  unchanged: (value) => text(value).trim(),
});
const link = (label: string, hint?: string): Attribute => ({
  ...line(label, { type: 'url', ...(hint === undefined ? {} : { hint }) }),
  read: (values, name) => values.optional(name) ?? null,
  unchanged: (value) => text(value).trim() || null,
});
const optionalLine = (label: string, hint: string): Attribute => ({
  ...line(label, { hint, maxLength: 1024 }),
  read: (values, name) => values.optional(name) ?? null,
  unchanged: (value) => text(value).trim() || null,
});
const lines = (label: string, hint: string, more: Partial<FormField> = {}): Attribute => ({
  field: (value) => ({ label, hint, type: 'textarea', value: texts(value).join('\n'), ...more }),
  read: (values, name) => linesOf(values.text(name)),
  unchanged: texts,
});
const box = (label: string, hint?: string): Attribute => ({
  field: (value) => ({ label, type: 'checkbox', value: value === true, ...(hint === undefined ? {} : { hint }) }),
  // What is not ticked is not said.
  read: (values, name) => values.checked(name) || null,
  unchanged: (value) => value === true || null,
});
const seconds = (label: string, hint: string, least: number, wrong: string): Attribute => ({
  field: (value) => ({
    label,
    hint,
    value: text(value),
    check: (entered) =>
      entered.trim() === '' || (/^\d{1,12}$/.test(entered.trim()) && Number(entered) >= least) ? undefined : wrong,
  }),
  read: (values, name) => (values.optional(name) === undefined ? null : Number(values.text(name))),
  unchanged: (value) => value ?? null,
});
/** `usual`: what it means when nothing is said. */
const choice = (label: string, names: Readonly<Record<string, string>>, usual: string, hint?: string): Attribute => {
  const known = (value: unknown): string => (Object.hasOwn(names, text(value)) ? text(value) : usual);
  return {
    field: (value) => ({
      label,
      type: 'select',
      value: known(value),
      options: Object.entries(names).map(([one, name]) => ({ value: one, label: name })),
      ...(hint === undefined ? {} : { hint }),
    }),
    read: (values, name) => values.text(name),
    unchanged: known,
  };
};
const boxes = (label: string, hint: string, names: Readonly<Record<string, string>>): Attribute => ({
  field: (value) => ({
    label,
    hint,
    type: 'checks',
    values: texts(value),
    options: Object.entries(names).map(([one, name]) => ({ value: one, label: name })),
  }),
  read: (values, name) => some(values.all(name)),
  unchanged: (value) => some(Object.keys(names).filter((one) => texts(value).includes(one))),
});
/** What is too much for fields of its own, as JSON. */
const json = (label: string, hint: string, wrong: string, isOf: (value: unknown) => boolean): Attribute => ({
  field: (value) => ({
    label,
    hint,
    type: 'textarea',
    value: value === undefined || value === null ? '' : JSON.stringify(value, null, 2),
    check: (entered) => (entered.trim() === '' || parsed(entered, isOf) !== undefined ? undefined : wrong),
  }),
  read: (values, name) => parsed(values.text(name), isOf) ?? null,
  unchanged: (value) => value ?? null,
});
const themselves = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((one) => [one, one]));

/** One of several words, or none of them. */
const usualChoice = (label: string, names: readonly string[], none: string, hint?: string): Attribute => ({
  ...choice(label, { '': none, ...themselves(names) }, '', hint),
  read: (values, name) => values.optional(name) ?? null,
  unchanged: (value) => value ?? null,
});

const CIBA = 'urn:openid:params:grant-type:ciba';
/** Shown once the other attribute is one of these. */
const goesWith = (name: string, values: readonly string[], attribute: Attribute): Attribute => ({
  ...attribute,
  field: (value) => ({ ...attribute.field(value), goesWith: { name, values } }),
});
const provesBy = (method: string, attribute: Attribute): Attribute => goesWith('token_endpoint_auth_method', [method], attribute);
const asksPeople = (attribute: Attribute): Attribute => goesWith('allowed_grant_types', [CIBA], attribute);

/** The parts of the form, with their attributes by the names of the API. */
const PARTS: Readonly<Record<keyof typeof words.registration.sections, () => Attributes>> = {
  about() {
    const { applications, registration: r } = words;
    const kinds = Object.fromEntries(KINDS.map((kind) => [kind, applications.kinds[kind].name]));
    const kind = choice(r.kind, { '': r.noKind, ...kinds }, '', r.kindHint);
    return {
      name: line(applications.name, { required: true, maxLength: 255 }),
      description: line(applications.description, { type: 'textarea' }),
      kind: { ...kind, read: (values, name) => values.optional(name) ?? null, unchanged: (value) => value ?? null },
      url: link(applications.homeUrl, applications.homeUrlHint),
      client_uri: link(r.clientUri),
      policy_uri: link(r.policyUri),
      tos_uri: link(r.tosUri),
      logo_uri: link(r.logoUri, r.logoUriHint),
    };
  },
  addresses() {
    const { applications, registration: r } = words;
    return {
      redirect_uris: lines(applications.redirectUris, applications.redirectUrisHint, { check: addressProblem }),
      post_logout_redirect_uris: lines(r.afterLogout, r.afterLogoutHint, { check: addressProblem }),
      initiate_login_uri: link(r.initiate, r.initiateHint),
    };
  },
  client() {
    const r = words.registration;
    return {
      client_type: choice(r.clientType, r.clientTypes, 'confidential', r.clientTypeHint),
      security_profile: {
        ...choice(r.profile, r.profiles, '', r.profileHint),
        read: (values, name) => values.optional(name) ?? null,
        unchanged: (value) => value ?? null,
      },
      token_endpoint_auth_method: choice(r.auth, r.auths, 'client_secret_basic', r.authHint),
      token_endpoint_auth_signing_alg: provesBy(
        'private_key_jwt',
        usualChoice(r.assertionAlgorithm, CLIENT_ALGORITHMS, r.anyAlgorithm),
      ),
      jwks: json(r.keys, r.keysHint, r.keysWrong, isKeySet),
      jwks_uri: link(r.keysUri, r.keysUriHint),
      workload_identities: provesBy('workload_jwt', json(r.workloads, r.workloadsHint, r.workloadsWrong, Array.isArray)),
      ...Object.fromEntries(
        Object.entries(r.certificateNames).map(([name, label]) => [
          name,
          provesBy('tls_client_auth', optionalLine(label, r.certificateHint)),
        ]),
      ),
      require_pushed_authorization_requests: box(r.par, r.parHint),
      require_signed_request_object: box(r.signedRequests, r.signedRequestsHint),
      request_object_signing_alg: usualChoice(r.requestAlgorithm, CLIENT_ALGORITHMS, r.anyAlgorithm),
    };
  },
  may() {
    const r = words.registration;
    return {
      allowed_scopes: boxes(r.scopes, r.scopesHint, r.scopeNames),
      allowed_grant_types: boxes(r.grants, r.grantsHint, r.grantNames),
      backchannel_token_delivery_mode: asksPeople(usualChoice(r.delivery, ['poll', 'ping'], r.usualDelivery, r.deliveryHint)),
      backchannel_client_notification_endpoint: asksPeople(link(r.notification, r.notificationHint)),
      backchannel_authentication_request_signing_alg: asksPeople(
        usualChoice(r.askAlgorithm, CLIENT_ALGORITHMS, r.notSigned, r.askAlgorithmHint),
      ),
      backchannel_user_code_parameter: asksPeople(box(r.userCode, r.userCodeHint)),
      skip_consent: { ...box(r.skipConsent, r.skipConsentHint), rule: 'trust_consumer' },
      grant_type: choice(r.grantType, themselves(GRANT_TYPES), 'authorization_code', r.grantTypeHint),
      scopes: lines(r.keyrockScopes, r.keyrockScopesHint),
    };
  },
  tokens() {
    const r = words.registration;
    return {
      id_token_signed_response_alg: usualChoice(r.algorithm, ALGORITHMS, r.usualAlgorithm),
      authorization_signed_response_alg: usualChoice(r.answerAlgorithm, ALGORITHMS, r.usualAlgorithm, r.answerAlgorithmHint),
      introspection_signed_response_alg: usualChoice(r.introspectionAlgorithm, ALGORITHMS, r.usualAlgorithm),
      id_token_claims: box(r.claims, r.claimsHint),
      dpop_bound_access_tokens: box(r.dpop, r.dpopHint),
      tls_client_certificate_bound_access_tokens: box(r.certificateBound, r.certificateBoundHint),
      access_token_lifetime: seconds(r.accessLifetime, r.lifetimeHint, LEAST_LIFETIME, r.wholeSeconds),
      refresh_token_lifetime: seconds(r.refreshLifetime, r.lifetimeHint, LEAST_LIFETIME, r.wholeSeconds),
    };
  },
  signIn() {
    const r = words.registration;
    return {
      default_acr_values: {
        // Several may be stored; the first is what is wished for.
        ...choice(r.strength, r.strengths, '', r.strengthHint),
        field: (values) => choice(r.strength, r.strengths, '', r.strengthHint).field(texts(values)[0]),
        read: (values, name) => (values.optional(name) ? [values.text(name)] : null),
        unchanged: (value) => some(texts(value).slice(0, 1)),
      },
      default_max_age: seconds(r.maxAge, r.maxAgeHint, 0, r.wholeNumber),
      require_auth_time: box(r.authTime),
      backchannel_logout_uri: link(r.backchannel, r.backchannelHint),
      backchannel_logout_session_required: box(r.backchannelSession),
      frontchannel_logout_uri: link(r.frontchannel, r.frontchannelHint),
      frontchannel_logout_session_required: box(r.frontchannelSession),
    };
  },
};

export type Registration = ConsumerWithSecret & Readonly<Record<string, unknown>>;
type May = (rule: string) => boolean;

const offered = (attributes: Attributes, may: May): (readonly [string, Attribute])[] =>
  Object.entries(attributes).filter(([, { rule }]) => rule === undefined || may(rule));

export const fieldsOf =
  (may: May) =>
  (consumer: ConsumerWithSecret): FormField[] =>
    Object.entries(PARTS).flatMap(([part, attributes]) =>
      offered(attributes(), may).map(([name, { field }], at) => ({
        name,
        // Only a name is required: of the rest it is not said each time that it is optional.
        unmarked: true,
        ...field((consumer as Registration)[name]),
        ...(at === 0 ? { section: words.registration.sections[part as keyof typeof PARTS] } : {}),
      })),
    );

/** What the person changed, by the names of the API. */
export function changesOf(consumer: ConsumerWithSecret, values: FormValues, may: May): Readonly<Record<string, unknown>> {
  const sent = Object.values(PARTS).flatMap((attributes) =>
    offered(attributes(), may).map(([name, { read, unchanged }]) => ({
      name,
      now: read(values, name),
      before: unchanged((consumer as Registration)[name]),
    })),
  );
  const changed = sent.filter(({ now, before }) => JSON.stringify(now) !== JSON.stringify(before));
  return Object.fromEntries(changed.map(({ name, now }) => [name, now]));
}
