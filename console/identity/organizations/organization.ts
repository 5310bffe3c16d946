// One organization: what is above and below it, who belongs to it, and which roles are given there.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import type { Tab } from '../../shared/tabs.ts';
import type { Place } from '../grants/give.ts';
import { invite } from '../people/invite.ts';
import { type Organization, thingLink } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { createOrganization } from './create.ts';
import { PlaceScreen } from './place-screen.ts';
import { tree } from './tree.ts';

interface Parent {
  readonly project: Organization;
}

class OrganizationScreen extends PlaceScreen<Organization> {
  protected readonly kind = 'projects';
  protected readonly envelope = 'project';
  protected readonly list = '/organizations';
  #parents: readonly Organization[] = [];

  protected override async loadMore(signal: AbortSignal): Promise<void> {
    const { project } = await api.get<{ project: { parents?: readonly Parent[] } }>(this.path, {
      query: { parents_as_list: true },
      signal,
    });
    this.#parents = (project.parents ?? []).map((one) => one.project);
  }

  protected override get place(): Place {
    const { id, name } = this.thing;
    return { kind: 'projects', id, name };
  }

  protected override headingActions(): Content {
    const mayInvite = session.may('identity:create_invitation') && this.may('identity:update_project');
    return html`${mayInvite ? html`<button type="button" @click=${() => void this.#invite()}>${words.people.invite}</button>` : nothing}
    ${super.headingActions()}`;
  }

  async #invite(): Promise<void> {
    await invite({ organization: this.thing });
  }

  /** From the parent up, as the API has it; shown from the top down. */
  #ancestors(): readonly Organization[] {
    const byId = new Map(this.#parents.map((one) => [one.id, one]));
    const found: Organization[] = [];
    for (let at = byId.get(this.thing.parent_id ?? ''); at && !found.includes(at); at = byId.get(at.parent_id ?? ''))
      found.push(at);
    return found.filter(({ is_domain: isDomain }) => !isDomain).toReversed();
  }

  protected override above(): Content {
    const { domain_id: domain, name } = this.thing;
    const { organizations, grants } = words;
    return html`<nav aria-label=${organizations.path}><ol class="path">
      ${domain === null ? nothing : html`<li>${grants.domainNamed} ${thingLink('domains', domain, this.domainName)}</li>`}
      ${this.#ancestors().map((one) => html`<li><a href=${hrefOf(`/organizations/${part(one.id)}`)}>${one.name}</a></li>`)}
      <li aria-current="page">${name}</li>
    </ol></nav>`;
  }

  #below(): Content {
    const { organizations } = words;
    const { id, name } = this.thing;
    const create = html`<div class="toolbar"><button type="button" @click=${() => void createOrganization({ id, name }, false)}>${organizations.newBelow(name)}</button></div>`;
    return html`${this.may('identity:update_project') ? create : nothing}<section class="card">${tree(id)}</section>`;
  }

  protected override moreTabs(href: (tab: string) => string): readonly Tab[] {
    if (!session.may('identity:list_projects')) return [];
    return [{ id: 'below', label: words.organizations.belowTab, href: href('below'), content: () => this.#below() }];
  }
}

define('gh-organization', OrganizationScreen);
