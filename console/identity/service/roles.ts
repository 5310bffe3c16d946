// The roles of the service itself, and which role includes which.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { impactOf } from '../impact.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';

interface Role {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

interface Inference {
  readonly prior_role: { readonly id: string };
  readonly implies: readonly { readonly id: string; readonly name: string }[];
}

/** Without these the service's own rules do not work. */
const BUILT_IN = ['admin', 'manager', 'member', 'reader', 'service', 'owner'];

export class Roles extends ServicePart {
  #roles: readonly Role[] = [];
  #implied: ReadonlyMap<string, Inference['implies']> = new Map();
  #may: (rule: string) => boolean = () => false;

  async load(signal: AbortSignal): Promise<void> {
    const [{ roles }, { role_inferences: inferences }] = await Promise.all([
      api.get<{ roles: Role[] }>('/v3/roles', { signal }),
      api.get<{ role_inferences: Inference[] }>('/v3/role_inferences', { signal }),
    ]);
    this.#roles = roles;
    this.#implied = new Map(inferences.map(({ prior_role: { id }, implies }) => [id, implies]));
    // The rules are the same for all of them.
    this.#may = await session.mayWith({ role_id: roles[0]?.id ?? '' }, signal);
  }

  async #create(): Promise<void> {
    const { service } = words;
    const made = await openForm({
      title: service.newRole,
      fields: [
        { name: 'name', label: service.name, required: true, maxLength: 255 },
        { name: 'description', label: service.description },
      ],
      submitLabel: shared.create,
      submit: async (values) => {
        await api.post('/v3/roles', { role: { name: values.text('name'), description: values.text('description') } });
      },
    });
    if (made) await this.reload();
  }

  async #include(role: Role): Promise<void> {
    const { service } = words;
    const options = this.#roles.filter(({ id }) => id !== role.id).map(({ id, name }) => ({ value: id, label: name }));
    const made = await openForm({
      title: service.includeTitle(role.name),
      text: service.includeText,
      fields: [{ name: 'role', label: service.role, type: 'select', required: true, options }],
      submitLabel: service.include,
      submit: async (values) => {
        await api.put(`/v3/roles/${part(role.id)}/implies/${part(values.text('role'))}`);
      },
    });
    if (made) await this.reload();
  }

  async #confirm(title: string, text: string | TemplateResult, path: string): Promise<void> {
    if (await confirmAct({ title, text, action: shared.remove, run: () => api.delete(path) })) await this.reload();
  }

  #remove({ id, name }: Role): Promise<void> {
    const { service } = words;
    const path = `/v3/roles/${part(id)}`;
    return this.#confirm(service.removeRole(name), html`<p>${service.removeRoleText}</p>${impactOf(path)}`, path);
  }

  #includes(role: Role): TemplateResult {
    const { service } = words;
    const implied = this.#implied.get(role.id) ?? [];
    const drop = (other: { id: string; name: string }): Promise<void> =>
      this.#confirm(
        service.excludeTitle(role.name, other.name),
        service.excludeText,
        `/v3/roles/${part(role.id)}/implies/${part(other.id)}`,
      );
    return html`${implied.map(
      (other) =>
        html`<span class="badge">${other.name}${
          this.#may('identity:delete_implied_role')
            ? html` <button type="button" class="plain" aria-label=${service.excludeTitle(role.name, other.name)} @click=${() => void drop(other)}>✕</button>`
            : nothing
        }</span> `,
    )}`;
  }

  content(): Content {
    const { service } = words;
    const actions = (
      role: Role,
    ): Content => html`${this.#may('identity:create_implied_role') ? html`<button type="button" class="second small" aria-label=${service.includeTitle(role.name)} @click=${() => void this.#include(role)}>${service.include}</button>` : nothing}
      ${
        BUILT_IN.includes(role.name) || !this.#may('identity:delete_role')
          ? nothing
          : html`<button type="button" class="second small danger" aria-label=${service.removeRole(role.name)}
            @click=${() => void this.#remove(role)}>${shared.remove}</button>`
      }`;
    return html`<p>${service.rolesIntro}</p>
      ${session.may('identity:create_role') ? html`<div class="toolbar"><button type="button" @click=${() => void this.#create()}>${service.newRole}</button></div>` : nothing}
      ${table<Role>({
        caption: service.tabs.roles,
        rows: this.#roles,
        key: ({ id }) => id,
        columns: [
          { name: service.role, isHeader: true, cell: ({ name }) => name },
          { name: service.description, cell: ({ description }) => description ?? '' },
          { name: service.includes, cell: (role) => this.#includes(role) },
        ],
        actions,
      })}`;
  }
}
