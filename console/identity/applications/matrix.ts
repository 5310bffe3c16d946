// Roles × permissions of an application, as a table of boxes. Each box is a request of its own and shows at once what the service made of it.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { PageElement } from '../../shared/element.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { shared } from '../../shared/words/index.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import type { AppRole, ListLinks, Permission } from './types.ts';

const ROLES = '/v3/OS-ROLES/roles';
const PERMISSIONS = '/v3/OS-ROLES/permissions';
const PAGE = 1000;

const linkPath = (role: AppRole, permission: Permission): string =>
  `${ROLES}/${part(role.id)}/permissions/${part(permission.id)}`;
const keyOf = (role: AppRole, permission: Permission): string => `${role.id} ${permission.id}`;

export interface MatrixContent {
  readonly roles: readonly AppRole[];
  readonly permissions: readonly Permission[];
  /** Which role has which permission. */
  readonly links: Set<string>;
}

/** Roles and permissions that work in every application (`is_internal`) are administrators' business, and left out. */
export async function readMatrix(applicationId: string, signal: AbortSignal): Promise<MatrixContent> {
  const query = { application_id: applicationId, limit: PAGE };
  const [{ roles }, { permissions }] = await Promise.all([
    api.get<{ roles: AppRole[]; links: ListLinks }>(ROLES, { query, signal }),
    api.get<{ permissions: Permission[]; links: ListLinks }>(PERMISSIONS, { query, signal }),
  ]);
  const own = roles.filter(({ is_internal }) => !is_internal);
  const lists = await Promise.all(
    own.map((role) => api.get<{ permissions: Permission[] }>(`${ROLES}/${part(role.id)}/permissions`, { signal })),
  );
  const links = new Set(own.flatMap((role, at) => lists[at]!.permissions.map((permission) => keyOf(role, permission))));
  return { roles: own, permissions: permissions.filter(({ is_internal }) => !is_internal), links };
}

/** `<gh-matrix .application=${id} .content=${...} .onChange=${() => ...}>` */
export class Matrix extends PageElement {
  #application = '';
  #content: MatrixContent = { roles: [], permissions: [], links: new Set() };
  #problem: Problem | undefined;
  readonly #busy = new Set<string>();
  onChange: () => void = () => {};
  /** The rules for roles, permissions and their links are one: whoever manages the roles of the application. */
  mayEdit = false;

  set application(id: string) {
    this.#application = id;
  }

  set content(content: MatrixContent) {
    this.#content = content;
    this.requestUpdate();
  }

  async #toggle(role: AppRole, permission: Permission, box: HTMLInputElement): Promise<void> {
    const { links } = this.#content;
    const key = keyOf(role, permission);
    const isOn = box.checked;
    this.#busy.add(key);
    this.#problem = undefined;
    this.requestUpdate();
    try {
      await (isOn ? api.put(linkPath(role, permission)) : api.delete(linkPath(role, permission)));
      if (isOn) links.add(key);
      else links.delete(key);
      announce(words.applications[isOn ? 'permissionGiven' : 'permissionTaken'](role.name, permission.name));
    } catch (error) {
      box.checked = !isOn;
      this.#problem = problemOf(error, true);
    } finally {
      this.#busy.delete(key);
      this.requestUpdate();
    }
  }

  async #addRole(): Promise<void> {
    const { applications } = words;
    const added = await openForm({
      title: applications.newRole,
      fields: [{ name: 'name', label: applications.roleName, required: true, maxLength: 255 }],
      submitLabel: shared.create,
      submit: (values) => api.post(ROLES, { role: { name: values.text('name'), application_id: this.#application } }),
    });
    if (added) this.onChange();
  }

  async #addPermission(): Promise<void> {
    const { applications } = words;
    const added = await openForm({
      title: applications.newPermission,
      text: applications.newPermissionText,
      fields: [
        { name: 'name', label: applications.permissionName, required: true, maxLength: 255 },
        {
          name: 'action',
          label: applications.action,
          hint: applications.actionHint,
          suggestions: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        },
        { name: 'resource', label: applications.resource, hint: applications.resourceHint },
      ],
      submitLabel: shared.create,
      submit: (values) =>
        api.post(PERMISSIONS, {
          permission: {
            name: values.text('name'),
            application_id: this.#application,
            ...(values.optional('action') ? { action: values.text('action') } : {}),
            ...(values.optional('resource') ? { resource: values.text('resource') } : {}),
          },
        }),
    });
    if (added) this.onChange();
  }

  async #remove(path: string, title: string, text: string): Promise<void> {
    if (await confirmAct({ title, text, action: shared.remove, run: () => api.delete(path) })) this.onChange();
  }

  #head(role: AppRole): TemplateResult {
    const { applications } = words;
    return html`<th scope="col">${role.name}
      ${
        this.mayEdit
          ? html`<button type="button" class="plain" aria-label=${applications.removeRole(role.name)} title=${applications.removeRole(role.name)}
        @click=${() => void this.#remove(`${ROLES}/${part(role.id)}`, applications.removeRole(role.name), applications.removeRoleText)}>✕</button>`
          : nothing
      }</th>`;
  }

  #row(permission: Permission): TemplateResult {
    const { applications } = words;
    const { roles, links } = this.#content;
    const detail = [permission.action, permission.resource].filter(Boolean).join(' ');
    return html`<tr>
      <th scope="row">${permission.name}
        ${detail === '' ? nothing : html`<br /><code class="soft">${detail}</code>`}
        ${
          this.mayEdit
            ? html`<button type="button" class="plain" aria-label=${applications.removePermission(permission.name)} title=${applications.removePermission(permission.name)}
          @click=${() => void this.#remove(`${PERMISSIONS}/${part(permission.id)}`, applications.removePermission(permission.name), applications.removePermissionText)}>✕</button>`
            : nothing
        }</th>
      ${roles.map((role) => {
        const key = keyOf(role, permission);
        return html`<td data-name=${role.name}><input type="checkbox" aria-label=${applications.cell(role.name, permission.name)}
          .checked=${links.has(key)} ?disabled=${this.#busy.has(key) || !this.mayEdit}
          @change=${(event: Event) => void this.#toggle(role, permission, event.target as HTMLInputElement)} /></td>`;
      })}
    </tr>`;
  }

  protected override render(): TemplateResult {
    const { applications } = words;
    const { roles, permissions } = this.#content;
    return html`${problemMessage(this.#problem)}
      ${
        this.mayEdit
          ? html`<div class="toolbar">
        <button type="button" @click=${() => void this.#addRole()}>${applications.newRole}</button>
        <button type="button" class="second" @click=${() => void this.#addPermission()}>${applications.newPermission}</button>
      </div>`
          : nothing
      }
      ${
        roles.length === 0 && permissions.length === 0
          ? html`<div class="empty">${applications.noRoles}</div>`
          : html`<div class="table" role="region" aria-label=${applications.matrix} tabindex="0"><table>
          <caption class="hidden">${applications.matrix}</caption>
          <thead><tr><th scope="col">${applications.permission}</th>${roles.map((role) => this.#head(role))}</tr></thead>
          <tbody>${permissions.map((permission) => this.#row(permission))}</tbody>
        </table></div>
        ${permissions.length === 0 ? html`<p class="soft">${applications.noPermissions}</p>` : nothing}`
      }`;
  }
}

customElements.define('gh-matrix', Matrix);
