// One domain: its organizations, who has roles in it, and its settings.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import type { Tab } from '../../shared/tabs.ts';
import type { Place } from '../grants/give.ts';
import { createOrganization } from '../organizations/create.ts';
import { PlaceScreen } from '../organizations/place-screen.ts';
import { tree } from '../organizations/tree.ts';
import type { Domain } from '../resources.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { DomainSettings } from './settings.ts';

class DomainScreen extends PlaceScreen<Domain> {
  #settings: DomainSettings | undefined;
  protected readonly kind = 'domains';
  protected readonly envelope = 'domain';
  protected readonly list = '/domains';

  protected override get place(): Place {
    const { id, name } = this.thing;
    return { kind: 'domains', id, name };
  }

  /** Managers of a domain may not change the domain itself, but give roles in it to its people. */
  protected override get mayGive(): boolean {
    return this.may('identity:create_user');
  }

  protected override headingActions(): Content {
    const link = html`<a class="button second" href=${hrefOf('/people', { domain_id: this.thing.id })}>${words.people.title}</a>`;
    return html`${session.may('identity:list_users') ? link : nothing}${super.headingActions()}`;
  }

  #organizations(): Content {
    const { organizations } = words;
    const { id, name } = this.thing;
    const create = html`<div class="toolbar"><button type="button" @click=${() => void createOrganization({ id, name }, false)}>${organizations.newBelow(name)}</button></div>`;
    return html`${this.may('identity:create_project') ? create : nothing}<section class="card">${tree(id)}</section>`;
  }

  protected override async loadMore(signal: AbortSignal): Promise<void> {
    const { tab } = this;
    this.#settings = undefined;
    if (tab !== 'sign-in' && tab !== 'look' && tab !== 'directory') return;
    const settings = new DomainSettings(this.thing, (rule) => this.may(rule), {
      reload: () => this.reload(),
      update: () => this.requestUpdate(),
    });
    await settings.load(tab, signal);
    this.#settings = settings;
  }

  protected override moreTabs(href: (tab: string) => string): readonly Tab[] {
    const { organizations, domainSettings } = words;
    const tabs: readonly (Tab & { readonly isOffered: boolean })[] = [
      {
        id: 'organizations',
        label: organizations.title,
        href: href('organizations'),
        content: () => this.#organizations(),
        isOffered: session.may('identity:list_projects'),
      },
      {
        id: 'sign-in',
        label: domainSettings.signIn,
        href: href('sign-in'),
        guide: 'service#settings-of-a-domain',
        content: () => this.#settings?.signIn() ?? nothing,
        isOffered: this.may('identity:list_domain_settings'),
      },
      {
        id: 'look',
        label: domainSettings.look,
        href: href('look'),
        guide: 'service#look-of-a-domain',
        content: () => this.#settings?.look() ?? nothing,
        isOffered: this.may('identity:list_domain_settings'),
      },
      {
        id: 'directory',
        label: domainSettings.directory,
        href: href('directory'),
        guide: 'ldap',
        content: () => this.#settings?.directory() ?? nothing,
        isOffered: this.may('identity:get_directory'),
      },
    ];
    return tabs.filter(({ isOffered }) => isOffered);
  }
}

define('gh-domain', DomainScreen);
