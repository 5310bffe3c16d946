// One provider: its settings, its mapping with a try, the people who are linked with it.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { confirmAct } from '../../shared/dialog.ts';
import type { Version } from '../../shared/edit.ts';
import { define } from '../../shared/element.ts';
import { ApiError } from '../../shared/http.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { currentTab, type Tab, tabBar } from '../../shared/tabs.ts';
import { frame, go } from '../frame.ts';
import { impactOf } from '../impact.ts';
import { stateBadge } from '../people/shared.ts';
import { domainNames } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { keysCard, keysPath, type ProviderKey } from './keys.ts';
import { type Mapping, mappingOf } from './mapping.ts';
import { addressesToRegister } from './new-provider.ts';
import { LinkedPeople } from './people.ts';
import { registrationCard } from './registration.ts';
import { openidForm, providerForm, walletForm } from './settings.ts';
import { MAPPINGS, type OpenidSettings, type Provider, providerPath, type WalletSettings } from './types.ts';

interface Protocol {
  readonly id: string;
  readonly mapping_id: string;
}

/** Undefined when there is none. */
async function found<Thing>(path: string, key: string, signal: AbortSignal): Promise<Version<Thing> | undefined> {
  try {
    const { body, etag } = await api.read<Record<string, Thing>>(path, { signal });
    return { thing: body[key]!, etag };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

class ProviderScreen extends Screen {
  #provider: Version<Provider> | undefined;
  #openid: Version<OpenidSettings> | undefined;
  #wallet: Version<WalletSettings> | undefined;
  #mapping: Version<Mapping> | undefined;
  #people: LinkedPeople | undefined;
  #keys: readonly ProviderKey[] = [];
  #isRegistered = false;
  #domain = '';
  #may: (rule: string) => boolean = () => false;

  heading(): string {
    return this.#openid?.thing.button_name ?? this.#wallet?.thing.name ?? this.#provider?.thing.id ?? words.providers.provider;
  }

  get #id(): string {
    return this.location.params.id!;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const path = providerPath(this.#id);
    const [{ body, etag }, openid, registration, wallet, { protocols }, domains, may] = await Promise.all([
      api.read<{ identity_provider: Provider }>(path, { signal }),
      found<OpenidSettings>(`${path}/openid`, 'openid', signal),
      found<object>(`${path}/openid/registration`, 'registration', signal),
      found<WalletSettings>(`${path}/openid4vp`, 'openid4vp', signal),
      api.get<{ protocols: readonly Protocol[] }>(`${path}/protocols`, { signal }),
      domainNames(signal),
      session.mayWith({ idp_id: this.#id }, signal),
    ]);
    this.#may = may;
    const mappingId = (protocols.find(({ id }) => id === 'openid') ?? protocols[0])?.mapping_id;
    this.#mapping =
      mappingId === undefined ? undefined : await found<Mapping>(`${MAPPINGS}/${part(mappingId)}`, 'mapping', signal);
    this.#people = undefined;
    if (this.location.query.get('tab') === 'people' && this.#may('identity:update_identity_provider')) {
      this.#people = new LinkedPeople(this.#id, this.location, () => this.reload());
      await this.#people.load(signal);
    }
    this.#provider = { thing: body.identity_provider, etag };
    this.#openid = openid;
    this.#keys = openid ? (await api.get<{ keys: readonly ProviderKey[] }>(keysPath(this.#id), { signal })).keys : [];
    this.#wallet = wallet;
    this.#isRegistered = registration !== undefined;
    this.#domain = domains.get(body.identity_provider.domain_id) ?? body.identity_provider.domain_id;
  }

  protected override headingActions(): Content {
    const { people } = words;
    const { enabled } = this.#provider!.thing;
    const toggle = html`<button type="button" class="second" @click=${() => void this.#setEnabled(!enabled)}>${enabled ? people.disable : people.enable}</button>`;
    const remove = html`<button type="button" class="second danger" @click=${() => void this.#delete()}>${people.delete}</button>`;
    return html`${this.#may('identity:update_identity_provider') ? toggle : nothing}
      ${this.#may('identity:delete_identity_provider') ? remove : nothing}`;
  }

  async #setEnabled(enabled: boolean): Promise<void> {
    const { people, providers } = words;
    const { etag: ifMatch } = this.#provider!;
    const path = providerPath(this.#id);
    const done = await confirmAct({
      title: enabled ? people.enableTitle(this.heading()) : people.disableTitle(this.heading()),
      text: enabled ? providers.enableText : html`<p>${providers.disableText}</p>${impactOf(path, ['sessions'])}`,
      action: enabled ? people.enable : people.disable,
      danger: !enabled,
      run: async () => {
        await api.patch(path, { identity_provider: { enabled } }, { ifMatch });
      },
    });
    await this.reload();
    if (done) announce(providers.saved);
  }

  async #delete(): Promise<void> {
    const { people, providers } = words;
    const name = this.heading();
    const path = providerPath(this.#id);
    const { etag: ifMatch } = this.#provider!;
    const done = await confirmAct({
      title: providers.deleteTitle(name),
      text: html`<p>${providers.deleteText}</p>${impactOf(path)}`,
      action: people.delete,
      run: async () => {
        await api.delete(path, { ifMatch });
        // The mapping that was made with it; another one may be of other providers.
        if (this.#mapping?.thing.id === this.#id) await api.delete(`${MAPPINGS}/${part(this.#id)}`).catch(() => {});
      },
    });
    if (!done) return;
    frame.setDirty(false);
    await go('/providers');
    announce(providers.deleted(name));
  }

  #settings(): TemplateResult {
    const { providers } = words;
    const provider = this.#provider!;
    const reload = (): Promise<void> => this.reload();
    const mayChange = this.#may('identity:update_identity_provider');
    if (!mayChange)
      return html`<section class="card"><p>${provider.thing.description ?? ''}</p>${this.#openid ? html`<p><code class="wrap">${this.#openid.thing.issuer}</code></p>` : nothing}</section>`;
    return html`${
      this.#openid
        ? html`<section class="card"><h2>${providers.register}</h2>${addressesToRegister(this.#id)}</section>
          <section class="card"><h2>${providers.settings}</h2>${keyed(this.#openid.etag, openidForm(this.#id, this.#openid, reload))}</section>
          ${this.#keys.length > 0 ? keysCard(this.#id, { keys: this.#keys, jwksUri: this.#openid.thing.jwks_uri, reload }) : nothing}
          ${this.#isRegistered ? registrationCard(this.#id, reload) : nothing}`
        : nothing
    }
    ${this.#wallet ? html`<section class="card"><h2>${providers.wallet}</h2>${keyed(this.#wallet.etag, walletForm(this.#id, this.#wallet, reload))}</section>` : nothing}
    ${this.#openid || this.#wallet ? nothing : html`<p class="warn">${providers.noSettings}</p>`}
    <section class="card"><h2>${providers.more}</h2>${providerForm(provider, reload)}</section>`;
  }

  #mappingTab(): Content {
    const mapping = this.#mapping;
    if (!mapping) return html`<p class="warn">${words.providers.noMapping}</p>`;
    return mappingOf({
      provider: this.#provider!.thing,
      version: mapping,
      mayChange: this.#may('identity:update_identity_provider'),
      canTry: this.#openid !== undefined,
      reload: () => this.reload(),
    });
  }

  protected content(): Content {
    const { providers } = words;
    const { thing } = this.#provider!;
    const here = `/providers/${part(thing.id)}`;
    const tabs: readonly Tab[] = [
      { id: 'settings', label: providers.settings, href: hrefOf(here), content: () => this.#settings() },
      { id: 'mapping', label: providers.mappingTab, href: hrefOf(here, { tab: 'mapping' }), content: () => this.#mappingTab() },
      ...(this.#may('identity:update_identity_provider')
        ? [
            {
              id: 'people',
              label: providers.people,
              href: hrefOf(here, { tab: 'people' }),
              content: () => this.#people?.content() ?? nothing,
            },
          ]
        : []),
    ];
    const tab = currentTab(tabs, this.location.query.get('tab'));
    return html`<p><a href=${hrefOf('/providers')}>${providers.title}</a></p>
      <p>${stateBadge(thing.enabled)} ${thing.enabled ? nothing : html`<span>${providers.notShown}</span>`}
        <span class="soft">${providers.ofDomain(this.#domain)} · <code>${thing.id}</code></span></p>
      ${tabBar(providers.provider, tabs, tab)}${tab?.content()}`;
  }
}

define('gh-provider', ProviderScreen);
