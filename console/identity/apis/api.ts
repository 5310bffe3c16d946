// One API: who may ask for it, its tokens, and its scopes.
import { html, nothing } from 'lit';
import { confirmAct, copyable, openForm } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import type { FormField } from '../../shared/form.ts';
import { part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { shared } from '../../shared/words/index.ts';
import { frame, go } from '../frame.ts';
import { findApplicationRoles, findApplications, namesOfApplications, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { apiFields, apiIn } from './api-form.ts';
import { APIS, type ApiExchange, type ApiScope, type RegisteredApi } from './types.ts';

/** What a scope may be called: as the service has it. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

class ApiScreen extends Screen {
  #api: RegisteredApi | undefined;
  #etag: string | undefined;
  #may: (rule: string) => boolean = () => false;
  #applications: ReadonlyMap<string, string> = new Map();
  #roles: ReadonlyMap<string, string> = new Map();

  heading(): string {
    return this.#api?.name ?? words.apis.one;
  }

  get #path(): string {
    return `${APIS}/${part(this.location.params.id!)}`;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const [{ body, etag }, may] = await Promise.all([
      api.read<{ api: RegisteredApi }>(this.#path, { signal }),
      session.mayWith({ api_id: this.location.params.id! }, signal),
    ]);
    const { api: found } = body;
    const own = found.application_id ?? undefined;
    const exchanging = found.exchanges.map(({ application_id: id }) => id);
    const named = [...(found.applications ?? []), ...exchanging, ...(own === undefined ? [] : [own])];
    const [applications, roles] = await Promise.all([
      namesOfApplications(named, signal),
      // Whoever may not see them sees their ids.
      findApplicationRoles(own, '', signal).catch(() => []),
    ]);
    this.#api = found;
    this.#etag = etag;
    this.#may = may;
    this.#applications = applications;
    this.#roles = new Map(roles.map(({ value, label }) => [value, label]));
  }

  protected override headingActions(): Content {
    const { apis } = words;
    const change = html`<button type="button" class="second" @click=${() => void this.#change()}>${apis.change}</button>`;
    const remove = html`<button type="button" class="second danger" @click=${() => void this.#remove()}>${apis.delete}</button>`;
    return html`${this.#may('identity:update_api') ? change : nothing} ${this.#may('identity:delete_api') ? remove : nothing}`;
  }

  async #send(changes: object): Promise<void> {
    await api.patch(this.#path, { api: changes }, { ifMatch: this.#etag });
  }

  async #changed(done: boolean): Promise<void> {
    if (!done) return;
    await this.reload();
    announce(words.apis.changed(this.#api!.name));
  }

  async #change(): Promise<void> {
    const { apis } = words;
    const done = await openForm({
      title: apis.changeTitle(this.#api!.name),
      submitLabel: shared.save,
      fields: await apiFields(this.#api!),
      submit: (values) => this.#send(apiIn(values)),
    });
    await this.#changed(done);
  }

  async #remove(): Promise<void> {
    const { apis } = words;
    const { name } = this.#api!;
    const done = await confirmAct({
      title: apis.deleteTitle(name),
      text: apis.deleteText,
      action: apis.delete,
      run: () => api.delete(this.#path, { ifMatch: this.#etag }),
    });
    if (!done) return;
    announce(apis.deleted(name));
    frame.setDirty(false);
    await go('/apis');
  }

  #scopeFields(scope: ApiScope | undefined): FormField[] {
    const { apis } = words;
    const own = this.#api!.application_id ?? undefined;
    const roles: FormField = {
      name: 'roles',
      label: apis.scopeRoles,
      type: 'picks',
      find: (text, signal) => findApplicationRoles(own, text, signal),
      allChosen: (scope?.roles ?? []).map((id) => ({ value: id, label: this.#roles.get(id) ?? id })),
      hint: apis.scopeRolesHint,
    };
    return [
      {
        name: 'scope',
        attribute: 'name',
        label: apis.scopeName,
        required: true,
        maxLength: 100,
        value: scope?.name,
        hint: apis.scopeNameHint,
        check: (text) => (text === '' || SCOPE.test(text) ? undefined : apis.scopeNameWrong),
      },
      {
        name: 'words',
        attribute: 'description',
        label: apis.scopeWords,
        required: true,
        maxLength: 200,
        value: scope?.description,
        hint: apis.scopeWordsHint,
      },
      ...(own === undefined ? [] : [roles]),
    ];
  }

  /** A new one, or another one in the place of this. */
  async #editScope(scope?: ApiScope): Promise<void> {
    const { apis } = words;
    const { scopes } = this.#api!;
    const done = await openForm({
      title: scope ? apis.changeScopeTitle(scope.name) : apis.addScope,
      ...(scope ? { text: apis.changeScopeText } : {}),
      submitLabel: scope ? shared.save : apis.addScope,
      fields: this.#scopeFields(scope),
      submit: (values) => {
        const roles = [...values.all('roles')];
        const made = {
          name: values.text('scope'),
          description: values.text('words'),
          ...(roles.length > 0 ? { roles } : {}),
        };
        return this.#send({ scopes: scope ? scopes.map((one) => (one === scope ? made : one)) : [...scopes, made] });
      },
    });
    await this.#changed(done);
  }

  async #removeScope(scope: ApiScope): Promise<void> {
    const { apis } = words;
    const done = await confirmAct({
      title: apis.removeScopeTitle(scope.name),
      text: apis.removeScopeText,
      action: shared.remove,
      run: () => this.#send({ scopes: this.#api!.scopes.filter((one) => one !== scope) }),
    });
    await this.#changed(done);
  }

  #application(id: string): Content {
    return thingLink('applications', id, this.#applications.get(id));
  }

  #facts(): Content {
    const { apis } = words;
    const { identifier, description, application_id: own, applications, token_format: format, token_lifetime: life } = this.#api!;
    const links = applications?.map((id, at) => html`${at === 0 ? nothing : ', '}${this.#application(id)}`);
    const listed = applications?.length === 0 ? apis.noApplications : links;
    return html`<section class="card"><dl class="facts">
      <dt>${apis.identifier}</dt><dd>${copyable(identifier)}</dd>
      ${description ? html`<dt>${apis.description}</dt><dd>${description}</dd>` : nothing}
      <dt>${apis.application}</dt><dd>${own ? this.#application(own) : shared.none}</dd>
      <dt>${apis.whoMayAsk}</dt><dd>${applications === null ? apis.allApplications : listed}</dd>
      <dt>${apis.tokenFormat}</dt><dd>${apis.tokenFormats[format]}</dd>
      <dt>${apis.goodFor}</dt><dd>${life === null ? apis.usualLifetime[format] : apis.seconds(life)}</dd>
    </dl></section>`;
  }

  #scopeActions(scope: ApiScope): Content {
    const { apis } = words;
    if (!this.#may('identity:update_api')) return nothing;
    return html`<button type="button" class="second small" aria-label=${apis.changeScopeTitle(scope.name)} @click=${() => void this.#editScope(scope)}>${apis.change}</button>
      <button type="button" class="second small danger" aria-label=${apis.removeScopeTitle(scope.name)} @click=${() => void this.#removeScope(scope)}>${shared.remove}</button>`;
  }

  async #addExchange(): Promise<void> {
    const { apis } = words;
    const { scopes, exchanges } = this.#api!;
    const done = await openForm({
      title: apis.addExchange,
      text: apis.exchangeText,
      submitLabel: apis.addExchange,
      fields: [
        {
          name: 'application',
          attribute: 'application_id',
          label: apis.exchangeApplication,
          type: 'pick',
          required: true,
          find: findApplications,
        },
        {
          name: 'needed',
          attribute: 'subject_scope',
          label: apis.subjectScope,
          required: true,
          maxLength: 100,
          hint: apis.subjectScopeHint,
        },
        {
          name: 'given',
          attribute: 'scope',
          label: apis.exchangeScope,
          type: 'select',
          required: true,
          options: scopes.map(({ name }) => ({ value: name, label: name })),
        },
      ],
      submit: (values) => {
        const [application, needed, given] = ['application', 'needed', 'given'].map((name) => values.text(name));
        const made = { application_id: application!, subject_scope: needed!, scope: given! };
        return this.#send({ exchanges: [...exchanges, made] });
      },
    });
    await this.#changed(done);
  }

  async #removeExchange(exchange: ApiExchange): Promise<void> {
    const { apis } = words;
    const done = await confirmAct({
      title: apis.removeExchange,
      text: apis.removeExchangeText,
      action: shared.remove,
      run: () => this.#send({ exchanges: this.#api!.exchanges.filter((one) => one !== exchange) }),
    });
    await this.#changed(done);
  }

  #exchanges(): Content {
    const { apis } = words;
    const { exchanges, scopes } = this.#api!;
    const mayChange = this.#may('identity:update_api');
    const add = html`<button type="button" class="second" @click=${() => void this.#addExchange()}>${apis.addExchange}</button>`;
    return html`<section>
      <div class="between"><h2>${apis.exchanges}</h2>${mayChange && scopes.length > 0 ? add : nothing}</div>
      ${table<ApiExchange>({
        caption: apis.exchanges,
        rows: exchanges,
        key: ({ application_id: id, subject_scope: needed, scope }) => `${id} ${needed} ${scope}`,
        columns: [
          { name: apis.exchangeApplication, isHeader: true, cell: ({ application_id: id }) => this.#application(id) },
          { name: apis.subjectScope, cell: ({ subject_scope: needed }) => html`<code>${needed}</code>` },
          { name: apis.exchangeScope, cell: ({ scope }) => html`<code>${scope}</code>` },
        ],
        actions: (exchange) =>
          mayChange
            ? html`<button type="button" class="second small danger" @click=${() => void this.#removeExchange(exchange)}>${apis.removeExchange}</button>`
            : nothing,
        empty: apis.noExchanges,
      })}
    </section>`;
  }

  protected content(): Content {
    const { apis } = words;
    if (!this.#api) return nothing;
    const add = html`<button type="button" class="second" @click=${() => void this.#editScope()}>${apis.addScope}</button>`;
    return html`${this.#facts()}
    <section>
      <div class="between"><h2>${apis.scopes}</h2>${this.#may('identity:update_api') ? add : nothing}</div>
      ${table<ApiScope>({
        caption: apis.scopes,
        rows: this.#api.scopes,
        key: ({ name }) => name,
        columns: [
          { name: apis.scopeName, isHeader: true, cell: ({ name }) => html`<code>${name}</code>` },
          { name: apis.scopeWords, cell: ({ description }) => description },
          {
            name: apis.scopeRoles,
            cell: ({ roles }) => (roles ? roles.map((id) => this.#roles.get(id) ?? id).join(', ') : apis.everybody),
          },
        ],
        actions: (scope) => this.#scopeActions(scope),
        empty: apis.noScopes,
      })}
    </section>
    ${this.#exchanges()}`;
  }
}

define('gh-api', ApiScreen);
