// The registration of an application: everything that can be changed, and what a change ends.
import { html, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { edit, type Version } from '../../shared/edit.ts';
import { part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { frame } from '../frame.ts';
import { impactOf } from '../impact.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { changesOf, fieldsOf, type Registration } from './registration-fields.ts';
import { type ConsumerWithSecret, WITHOUT_SECRET } from './types.ts';

type Changes = Readonly<Record<string, unknown>>;

const listOf = (value: unknown, all: readonly string[]): readonly string[] => (Array.isArray(value) ? value : all);
const lost = (before: readonly string[], after: readonly string[]): boolean => before.some((one) => !after.includes(one));

const scopesOf = (listed: unknown): readonly string[] => listOf(listed, Object.keys(words.registration.scopeNames));

interface Effect {
  readonly text: keyof typeof words.registration.effects;
  /** The service ends tokens and consents. */
  readonly ends?: boolean;
  isOf(before: Registration, changes: Changes): boolean;
}

/** Without a list, passwords and `implicit` are not among the ways unless they are the grant type. */
const grantsOf = ({ allowed_grant_types: listed, grant_type: registered }: Changes): readonly string[] =>
  listOf(
    listed,
    Object.keys(words.registration.grantNames).filter((one) => (one !== 'password' && one !== 'implicit') || one === registered),
  );

const EFFECTS: readonly Effect[] = [
  {
    text: 'uris',
    ends: true,
    isOf: ({ redirect_uris: before }, { redirect_uris: after }) => after !== undefined && before.length > 0,
  },
  {
    text: 'scopes',
    ends: true,
    isOf: ({ allowed_scopes: before }, { allowed_scopes: after }) =>
      after !== undefined && lost(scopesOf(before), scopesOf(after)),
  },
  { text: 'grants', ends: true, isOf: (before, changes) => lost(grantsOf(before), grantsOf({ ...before, ...changes })) },
  {
    text: 'profile',
    ends: true,
    isOf: ({ security_profile: before }, { security_profile: after }) =>
      typeof after === 'string' && (before === undefined || before === null || after === 'fapi2-message-signing'),
  },
  {
    text: 'profileGone',
    isOf: (_before, { security_profile: after }) => after === null || after === 'fapi2',
  },
  { text: 'consentBack', ends: true, isOf: (_before, { skip_consent: after }) => after === null },
  { text: 'consentSkipped', isOf: (_before, { skip_consent: after }) => after === true },
  { text: 'toPublic', ends: true, isOf: (_before, { client_type: after }) => after === 'public' },
  { text: 'toConfidential', isOf: (_before, { client_type: after }) => after === 'confidential' },
  {
    text: 'auth',
    isOf: ({ client_type: type }, { token_endpoint_auth_method: after, client_type: newType = type }) =>
      after !== undefined && newType === 'confidential',
  },
  {
    text: 'keys',
    isOf: ({ token_endpoint_auth_method: method }, changes) =>
      WITHOUT_SECRET.includes(String(method)) &&
      Object.keys(changes).some(
        (name) => name.startsWith('jwks') || name === 'workload_identities' || name.startsWith('tls_client_auth_'),
      ),
  },
  { text: 'par', isOf: (_before, { require_pushed_authorization_requests: after }) => after === true },
  { text: 'signedRequests', isOf: (_before, { require_signed_request_object: after }) => after === true },
  { text: 'dpop', isOf: (_before, { dpop_bound_access_tokens: after }) => after === true },
  {
    text: 'certificateBound',
    isOf: (_before, { tls_client_certificate_bound_access_tokens: after }) => after === true,
  },
  { text: 'algorithm', isOf: (_before, { id_token_signed_response_alg: after }) => after !== undefined },
  {
    text: 'afterLogout',
    isOf: ({ post_logout_redirect_uris: before }, { post_logout_redirect_uris: after }) =>
      Array.isArray(after) && lost(listOf(before, []), after),
  },
];

/** Whether the person wants the change, once they know what others notice of it. */
async function isWanted(path: string, before: Registration, changes: Changes): Promise<boolean> {
  const { registration } = words;
  const effects = EFFECTS.filter(({ isOf }) => isOf(before, changes));
  if (effects.length === 0) return true;
  const ends = effects.some((one) => one.ends);
  return confirmAct({
    title: registration.sureTitle,
    text: html`<ul>${effects.map(({ text }) => html`<li>${registration.effects[text]}</li>`)}</ul>
      ${ends ? html`<p>${registration.endsTitle}</p>${impactOf(path, ['consents', 'tokens'])}` : ''}`,
    action: registration.sureAction,
    danger: ends,
  });
}

export interface RegistrationOptions {
  readonly version: Version<ConsumerWithSecret>;
  may(rule: string): boolean;
  reload(): Promise<void>;
}

export function registrationForm({ version, may, reload }: RegistrationOptions): TemplateResult {
  const path = `/v3/OS-OAUTH2/consumers/${part(version.thing.id)}`;
  return html`<section class="card">
    <h2>${words.applications.tabs.settings}</h2>
    ${edit<ConsumerWithSecret>({
      version,
      fields: fieldsOf(may),
      read: async () => {
        const { body, etag } = await api.read<{ consumer: ConsumerWithSecret }>(path);
        return { thing: body.consumer, etag };
      },
      save: async (values, etag, present) => {
        const changes = changesOf(present, values, may);
        if (!(await isWanted(path, present as Registration, changes))) return false;
        if (Object.keys(changes).length > 0) await api.patch(path, { consumer: changes }, { ifMatch: etag });
        return true;
      },
      onSaved: async () => {
        frame.setDirty(false);
        await reload();
        announce(words.applications.saved);
      },
      onDirty: () => frame.setDirty(true),
    })}
  </section>`;
}
