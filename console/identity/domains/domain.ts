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

class DomainScreen extends PlaceScreen<Domain> {
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

  /** They are in a file, so that nobody changes by the API how people of a domain sign in. */
  protected override moreSettings(): Content {
    const { organizations } = words;
    return html`<section class="card"><h2>${organizations.fileSettings}</h2><p>${organizations.fileSettingsText}</p>
      <pre><code>keystone.${this.thing.name}.conf</code></pre></section>`;
  }

  protected override moreTabs(href: (tab: string) => string): readonly Tab[] {
    if (!session.may('identity:list_projects')) return [];
    const content = (): Content => this.#organizations();
    return [{ id: 'organizations', label: words.organizations.title, href: href('organizations'), content }];
  }
}

define('gh-domain', DomainScreen);
