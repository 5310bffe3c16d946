// A new provider: its kind and address, what the service reads of it, and what it gave to us. All of it is added at once.

import { html, nothing, type TemplateResult } from 'lit';
import { copyable } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type FormField, form } from '../../shared/form.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { frame, go } from '../frame.ts';
import { domainNames, findDomains } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { linesOf } from './lines.ts';
import { registerAt, tokenField } from './registration.ts';
import {
  isTemplate,
  logoutUriOf,
  MAPPINGS,
  type Metadata,
  PROVIDERS,
  providerPath,
  redirectUriOf,
  TEMPLATES,
  type Template,
  type TemplateName,
} from './types.ts';
import { SCHEMA_VERSION, writeUsual } from './usual-mapping.ts';
import { walletFields, walletOf } from './wallet-fields.ts';

interface Draft {
  readonly id: string;
  readonly domainId: string;
  /** As it was entered. */
  readonly issuer: string;
  readonly metadata: Metadata;
}

const NO_MAPPING = {
  onlyClaim: '',
  onlyValues: [],
  groupsClaim: '',
  groups: [],
  rolesClaim: '',
  rolesValues: [],
  roles: [],
} as const;

const mappingBy = (claims: { readonly name: string; readonly email: string }, domainId: string) => ({
  rules: writeUsual({ ...NO_MAPPING, ...claims }, domainId),
  schema_version: SCHEMA_VERSION,
});

export function metadataList(metadata: Metadata): TemplateResult {
  const { providers } = words;
  const address = (name: string, value: string | null): TemplateResult =>
    html`<dt>${name}</dt><dd>${value === null ? '–' : html`<code class="wrap">${value}</code>`}</dd>`;
  const names = (all: readonly string[]) => (all.length === 0 ? '–' : html`<span class="wrap">${all.join(', ')}</span>`);
  return html`<dl class="facts">
      ${address(providers.issuer, metadata.issuer)}
      ${address(providers.authorization, metadata.authorization_endpoint)}
      ${address(providers.token, metadata.token_endpoint)}
      ${address(providers.userinfo, metadata.userinfo_endpoint)}
      ${address(providers.keys, metadata.jwks_uri)}
      <dt>${providers.scopesSupported}</dt><dd>${names(metadata.scopes_supported)}</dd>
      <dt>${providers.claimsSupported}</dt><dd>${names(metadata.claims_supported)}</dd>
      <dt>${providers.backchannel}</dt><dd>${metadata.backchannel_logout_supported ? providers.yes : providers.no}</dd>
    </dl>
    ${
      metadata.problems.length === 0
        ? nothing
        : html`<div class="bad" role="alert"><strong>${providers.problems}</strong><ul lang="en">${metadata.problems.map((one) => html`<li>${one}</li>`)}</ul></div>`
    }`;
}

/** What to register there. */
export const addressesToRegister = (
  id: string,
): TemplateResult => html`<h3>${words.providers.redirectUri}</h3>${copyable(redirectUriOf(id))}
  <h3>${words.providers.logoutUri}</h3>${copyable(logoutUriOf(id))}`;

class NewProvider extends Screen {
  #draft: Draft | undefined;
  #domains: ReadonlyMap<string, string> = new Map();

  heading(): string {
    return words.providers.add;
  }

  get #template(): TemplateName | undefined {
    const name = this.location.query.get('template');
    return isTemplate(name) ? name : undefined;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#draft = undefined;
    this.#domains = await domainNames(signal);
  }

  #step(number: number, title: string): TemplateResult {
    return html`<p class="soft">${words.applications.step(number, 3)}</p><h2>${title}</h2>`;
  }

  #choose(): Content {
    const { providers } = words;
    return html`${this.#step(1, providers.chooseKind)}
      <ul class="cards">${(Object.keys(TEMPLATES) as TemplateName[]).map(
        (name) => html`<li class="card">
          <h3><a href=${hrefOf('/new-provider', { template: name })}>${providers.templates[name].name}</a></h3>
          <p>${providers.templates[name].text}</p>
        </li>`,
      )}<li class="card">
          <h3><a href=${hrefOf('/new-provider', { template: 'wallet' })}>${providers.walletTemplate.name}</a></h3>
          <p>${providers.walletTemplate.text}</p>
        </li>${
          session.may('identity:list_domains')
            ? html`<li class="card">
          <h3><a href=${hrefOf('/domains')}>${providers.directory.name}</a></h3>
          <p>${providers.directory.text}</p>
        </li>`
            : nothing
        }</ul>
      <p class="soft">${providers.noGithub}</p>`;
  }

  /** What a provider is called here, and where its people are. */
  #place(id: string): FormField[] {
    const { providers } = words;
    const domain = [...this.#domains].find(([one]) => one === 'default');
    return [
      {
        name: 'id',
        label: providers.id,
        hint: providers.idHint,
        required: true,
        maxLength: 64,
        pattern: '[A-Za-z0-9_.~\\-]+',
        value: id,
      },
      {
        name: 'domain',
        label: providers.domain,
        hint: providers.domainHint,
        type: 'pick',
        required: true,
        find: findDomains,
        ...(domain ? { chosen: { value: domain[0], label: domain[1] } } : {}),
      },
    ];
  }

  #askCredential(): Content {
    const { providers } = words;
    return html`${this.#step(2, providers.walletTemplate.name)}
      <p>${providers.walletTemplate.where}</p>
      ${form({
        fields: [...walletFields(), ...this.#place('wallet')],
        extra: html`<p class="soft">${providers.addedDisabledWallet}</p>`,
        submitLabel: providers.addNow,
        onDirty: () => frame.setDirty(true),
        cancel: () => {
          frame.setDirty(false);
          void go('/new-provider');
        },
        submit: async (values) => {
          await this.#add(values.text('id'), {
            domain_id: values.text('domain'),
            mapping: mappingBy({ name: values.text('name_claim'), email: '' }, values.text('domain')),
            openid4vp: walletOf(values),
          });
        },
      })}`;
  }

  async #add(id: string, parts: object): Promise<void> {
    await api.post(PROVIDERS, { sign_in_provider: { id, enabled: false, ...parts } });
    frame.setDirty(false);
    await go(`/providers/${part(id)}?tab=mapping`);
    announce(words.providers.added);
  }

  /** The service gets its client from the provider. What was made before stays when that fails: it can be tried again. */
  async #register({ id, domainId, issuer }: Draft, name: TemplateName, token: string | undefined): Promise<void> {
    const { name: claim, email, scopes }: Template = TEMPLATES[name];
    const provider = providerPath(id);
    await api.put(`${MAPPINGS}/${part(id)}`, { mapping: mappingBy({ name: claim, email }, domainId) });
    await api.put(provider, { identity_provider: { domain_id: domainId, enabled: false } });
    await api.put(`${provider}/protocols/openid`, { protocol: { mapping_id: id } });
    const ways = { client_authentication: 'private_key_jwt' };
    await registerAt(id, token, { issuer, scopes, button_name: words.providers.templates[name].button || null, ...ways });
    frame.setDirty(false);
    await go(`/providers/${part(id)}?tab=mapping`);
    announce(words.providers.added);
  }

  #askRegistration(name: TemplateName, draft: Draft): Content {
    if (draft.metadata.registration_endpoint === null) return nothing;
    const { providers } = words;
    return html`<section class="card"><h2>${providers.registerItself}</h2><p>${providers.registerItselfText}</p>
      ${form({
        fields: [tokenField()],
        submitLabel: providers.registerNow,
        onDirty: () => frame.setDirty(true),
        submit: (values) => this.#register(draft, name, values.optional('initial_access_token')),
      })}</section>`;
  }

  #askAddress(name: TemplateName): Content {
    const { providers } = words;
    const template: Template = TEMPLATES[name];
    const asked = template.asks.map(
      (ask): FormField => ({
        name: ask,
        ...providers.asks[ask],
        required: true,
        maxLength: 1000,
        type: ask === 'server' || ask === 'issuer' ? 'url' : 'text',
      }),
    );
    return html`${this.#step(2, providers.templates[name].name)}
      <p>${providers.templates[name].where}</p>
      ${form({
        fields: [...asked, ...this.#place(name === 'openid' ? '' : name)],
        submitLabel: providers.readMetadata,
        cancel: () => void go('/new-provider'),
        submit: async (values) => {
          const issuer = template.issuer(template.asks.map((ask) => values.text(ask)));
          const { metadata } = await api.post<{ metadata: Metadata }>('/v3/OS-FEDERATION/provider_metadata', {
            metadata: { issuer },
          });
          this.#draft = { id: values.text('id'), domainId: values.text('domain'), issuer, metadata };
          this.requestUpdate();
          await this.updateComplete;
          this.querySelector<HTMLElement>('#found')?.focus();
        },
      })}`;
  }

  #askClient(name: TemplateName, draft: Draft): Content {
    const { id, domainId, issuer, metadata } = draft;
    const { providers } = words;
    const template: Template = TEMPLATES[name];
    return html`${this.#step(3, providers.templates[name].name)}
      <section class="card"><h2 id="found" tabindex="-1">${providers.found}</h2>${metadataList(metadata)}</section>
      <section class="card"><h2>${providers.register}</h2><p>${providers.templates[name].register}</p>${addressesToRegister(id)}</section>
      ${this.#askRegistration(name, draft)}
      <section class="card"><h2>${providers.clientTitle}</h2>
      ${form({
        fields: [
          { name: 'client_id', label: providers.clientId, required: true, maxLength: 255 },
          { name: 'client_secret', label: providers.clientSecret, type: 'password', hint: providers.clientSecretHint },
          {
            name: 'button_name',
            label: providers.buttonName,
            hint: providers.buttonNameHint,
            maxLength: 64,
            value: providers.templates[name].button,
          },
          { name: 'email_domains', label: providers.emailDomains, type: 'textarea', hint: providers.emailDomainsHint },
        ],
        extra: html`<p class="soft">${providers.addedDisabled}</p>`,
        submitLabel: providers.addNow,
        onDirty: () => frame.setDirty(true),
        cancel: () => {
          this.#draft = undefined;
          frame.setDirty(false);
          this.requestUpdate();
        },
        submit: async (values) => {
          const { name: claim, email } = template;
          const secret = values.optional('client_secret');
          await this.#add(id, {
            domain_id: domainId,
            mapping: mappingBy({ name: claim, email }, domainId),
            openid: {
              issuer,
              client_id: values.text('client_id'),
              ...(secret === undefined ? {} : { client_secret: secret }),
              scopes: template.scopes,
              button_name: values.optional('button_name') ?? null,
              email_domains: linesOf(values.text('email_domains')),
            },
          });
        },
      })}</section>`;
  }

  protected content(): Content {
    if (this.location.query.get('template') === 'wallet') return this.#askCredential();
    const template = this.#template;
    if (template === undefined) return this.#choose();
    return this.#draft ? this.#askClient(template, this.#draft) : this.#askAddress(template);
  }
}

define('gh-new-provider', NewProvider);
