// Credentials of an application: what people can take along, what credentials call the application, and what was issued.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct, copyable, openForm } from '../../shared/dialog.ts';
import { ApiError } from '../../shared/http.ts';
import { hrefOf, type Location, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { mayWithEach } from '../allowed.ts';
import type { AppRole } from '../applications/types.ts';
import { impactOf } from '../impact.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type IssuedContent, issuedList, readIssued } from './issued.ts';
import { editType, type NamedRole } from './type-form.ts';
import { type CredentialType, TYPES } from './types.ts';

/** The service lets managers make twenty for an application, administrators more. */
const MOST = 200;
const MOST_ROLES = 1000;
const REVOKED = ['issued_credentials'];

export interface ApplicationCredentials {
  readonly types: readonly CredentialType[];
  /** Roles of the application and of the others in its types, as far as the person may list them. */
  readonly roles: readonly NamedRole[];
  readonly issued: IssuedContent;
  /** What credentials call the application, if that is not its id. */
  readonly did: string | undefined;
  /** What the person may do with the application. */
  may(rule: string): boolean;
  mayWithType(type: CredentialType, rule: string): boolean;
}

const targetPath = (applicationId: string): string => `/v3/OS-ROLE-CREDENTIALS/targets/${part(applicationId)}`;

async function readDid(applicationId: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await api.get<{ target: { did: string } }>(targetPath(applicationId), { signal })).target.did;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function readTypes(applicationId: string, signal: AbortSignal): Promise<readonly CredentialType[]> {
  const query = { application_id: applicationId, limit: MOST };
  return (await api.get<{ credential_types: CredentialType[] }>(TYPES, { query, signal })).credential_types;
}

/** Those of other applications may not be seen: whoever changes the type has to manage these, too. */
async function readRoles(applicationIds: readonly string[], signal: AbortSignal): Promise<NamedRole[]> {
  const lists = await Promise.all(
    applicationIds.map(async (id) => {
      const query = { application_id: id, limit: MOST_ROLES };
      try {
        return (await api.get<{ roles: AppRole[] }>('/v3/OS-ROLES/roles', { query, signal })).roles;
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) return [];
        throw error;
      }
    }),
  );
  return lists.flat().filter(({ is_internal: isInternal }) => !isInternal);
}

export async function readApplicationCredentials(
  applicationId: string,
  location: Location,
  may: (rule: string) => boolean,
  signal: AbortSignal,
): Promise<ApplicationCredentials> {
  const types = may('list_credential_types') ? await readTypes(applicationId, signal) : [];
  const [roles, issued, did, mayWithType] = await Promise.all([
    readRoles([...new Set([applicationId, ...types.flatMap(({ targets }) => targets)])], signal),
    readIssued({ application_id: applicationId }, location, signal, types),
    may('get_credential_target') ? readDid(applicationId, signal) : undefined,
    mayWithEach<CredentialType>({ rows: types, key: () => '', ids: ({ id }) => ({ type_id: id }) }, signal),
  ]);
  return { types, roles, issued, did, may, mayWithType };
}

type Reload = () => Promise<void>;

/** Changes what is there now, whatever the list shows: others may have changed it since. */
async function change(applicationId: string, { id }: CredentialType, roles: readonly NamedRole[], reload: Reload): Promise<void> {
  const { body, etag } = await api.read<{ credential_type: CredentialType }>(`${TYPES}/${part(id)}`);
  const name = await editType(applicationId, roles, { thing: body.credential_type, etag });
  if (name === undefined) return;
  await reload();
  announce(words.credentials.changed(name));
}

async function setEnabled({ id, name, enabled }: CredentialType, reload: Reload): Promise<void> {
  const { credentials } = words;
  const path = `${TYPES}/${part(id)}`;
  const isDone = await confirmAct({
    title: enabled ? credentials.disableTitle(name) : credentials.enableTitle(name),
    text: enabled ? html`<p>${credentials.disableText}</p>${impactOf(path, REVOKED)}` : credentials.enableText,
    action: enabled ? credentials.disable : credentials.enable,
    danger: enabled,
    run: async () => {
      await api.patch(path, { credential_type: { enabled: !enabled } });
    },
  });
  if (!isDone) return;
  await reload();
  announce(enabled ? credentials.disabledNow(name) : credentials.enabledNow(name));
}

async function remove({ id, name }: CredentialType, reload: Reload): Promise<void> {
  const { credentials } = words;
  const path = `${TYPES}/${part(id)}`;
  const isDone = await confirmAct({
    title: credentials.removeTitle(name),
    text: html`<p>${credentials.removeText}</p>${impactOf(path)}`,
    action: credentials.remove,
    run: () => api.delete(path),
  });
  if (!isDone) return;
  await reload();
  announce(credentials.removed(name));
}

function typeActions(applicationId: string, { roles, mayWithType }: ApplicationCredentials, reload: Reload) {
  const { credentials } = words;
  return (type: CredentialType): Content => {
    const mayChange = mayWithType(type, 'update_credential_type');
    const toggle = type.enabled
      ? { label: credentials.disable, title: credentials.disableTitle(type.name), danger: true }
      : { label: credentials.enable, title: credentials.enableTitle(type.name), danger: false };
    return html`${
      mayChange
        ? html`<button type="button" class="second small" aria-label=${credentials.changeTitle(type.name)} @click=${() => void change(applicationId, type, roles, reload)}>${credentials.change}</button>
          <button type="button" class="second small ${toggle.danger ? 'danger' : ''}" aria-label=${toggle.title} @click=${() => void setEnabled(type, reload)}>${toggle.label}</button>`
        : nothing
    }
    ${
      mayWithType(type, 'delete_credential_type')
        ? html`<button type="button" class="second small danger" aria-label=${credentials.removeTitle(type.name)} @click=${() => void remove(type, reload)}>${credentials.remove}</button>`
        : nothing
    }`;
  };
}

function typeList(applicationId: string, content: ApplicationCredentials, reload: Reload): Content {
  const { credentials } = words;
  const { types, roles, may } = content;
  if (!may('list_credential_types')) return nothing;
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const create = async (): Promise<void> => {
    const name = await editType(applicationId, await readRoles([applicationId], new AbortController().signal));
    if (name === undefined) return;
    await reload();
    announce(credentials.created(name));
  };
  return html`<section>
    <div class="between"><h2>${credentials.types}</h2>${may('create_credential_type') ? html`<button type="button" @click=${() => void create()}>${credentials.create}</button>` : nothing}</div>
    <p>${credentials.typesIntro}</p>
    ${types.length > 0 && session.may('identity:update_service_settings') ? html`<p><a href=${hrefOf('/service/sign-in', { group: 'wallets' })}>${credentials.signIn}</a></p>` : nothing}
    ${table<CredentialType>({
      caption: credentials.types,
      rows: types,
      key: ({ id }) => id,
      columns: [
        {
          name: credentials.name,
          isHeader: true,
          cell: ({ name, id, description }) =>
            html`${name}${description === '' ? nothing : html`<br /><span class="soft">${description}</span>`}<br /><code>${id}</code>`,
        },
        {
          name: credentials.roles,
          cell: ({ roles: own }) => (own === null ? credentials.allRoles : own.map((id) => names.get(id) ?? id).join(', ')),
        },
        {
          name: credentials.says,
          cell: ({ claims }) =>
            claims.length === 0 ? credentials.noClaims : claims.map((claim) => credentials.claimNames[claim]).join(', '),
        },
        { name: credentials.validity, cell: ({ validity_seconds: seconds }) => credentials.duration(seconds) },
        {
          name: credentials.state,
          cell: ({ enabled }) =>
            html`<span class="badge ${enabled ? 'good' : 'bad'}">${enabled ? credentials.enabled : credentials.disabled}</span>`,
        },
      ],
      actions: typeActions(applicationId, content, reload),
      empty: credentials.noTypes,
    })}
  </section>`;
}

async function setDid(applicationId: string, did: string | undefined): Promise<boolean> {
  const { credentials } = words;
  return openForm({
    title: credentials.setDid,
    text: credentials.targetChangeText,
    fields: [{ name: 'did', label: credentials.did, required: true, maxLength: 255, value: did, hint: credentials.didHint }],
    submitLabel: credentials.setDid,
    submit: async (values) => {
      await api.put(targetPath(applicationId), { target: { did: values.text('did') } });
    },
  });
}

const unsetDid = (applicationId: string): Promise<boolean> =>
  confirmAct({
    title: words.credentials.useId,
    text: words.credentials.targetChangeText,
    action: words.credentials.useId,
    run: () => api.delete(targetPath(applicationId)),
  });

function target(applicationId: string, { did, may }: ApplicationCredentials, reload: Reload): Content {
  const { credentials } = words;
  if (!may('get_credential_target')) return nothing;
  const after = async (act: Promise<boolean>): Promise<void> => {
    if (!(await act)) return;
    await reload();
    announce(credentials.targetChanged);
  };
  const set = html`<button type="button" class="second small" @click=${() => void after(setDid(applicationId, did))}>${credentials.setDid}</button>`;
  const unset = html`<button type="button" class="second small danger" @click=${() => void after(unsetDid(applicationId))}>${credentials.useId}</button>`;
  return html`<section class="card"><h2>${credentials.target}</h2><p>${credentials.targetText}</p>${copyable(did ?? applicationId)}
    ${may('set_credential_target') ? html`<div class="buttons">${set}${did === undefined ? nothing : unset}</div>` : nothing}</section>`;
}

export function applicationCredentials(
  { id }: { readonly id: string },
  content: ApplicationCredentials,
  reload: Reload,
): TemplateResult {
  return html`${typeList(id, content, reload)}
    <section><h2>${words.credentials.issued}</h2>${issuedList(content.issued, reload)}</section>
    ${target(id, content, reload)}`;
}
