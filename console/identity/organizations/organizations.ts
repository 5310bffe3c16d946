// The organizations (projects), as a list or as a tree.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { currentTab, tabBar } from '../../shared/tabs.ts';
import { ListScreen } from '../list-screen.ts';
import { stateBadge } from '../people/shared.ts';
import type { Organization } from '../resources.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { createOrganization } from './create.ts';
import { tree } from './tree.ts';

class Organizations extends ListScreen<Organization> {
  protected readonly path = '/v3/projects';

  heading(): string {
    return words.organizations.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const isTree = this.location.query.get('tab') === 'tree';
    if (isTree) await this.loadDomains(signal);
    // Without domains there is no tree.
    if (isTree && this.domains.size > 0) return;
    await Promise.all([this.loadRows(signal), this.loadDomains(signal)]);
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_project')) return nothing;
    return html`<button type="button" @click=${() => void createOrganization(undefined, this.domains.size > 1)}>${words.organizations.newOrganization}</button>`;
  }

  #list(): Content {
    const { organizations, people } = words;
    const texts = {
      caption: organizations.title,
      what: organizations.what,
      empty: organizations.noOrganizations,
      nothingFound: organizations.nothingFound,
    };
    return this.list(texts, [
      {
        name: organizations.name,
        isHeader: true,
        sort: 'name',
        cell: ({ id, name }) => html`<a href=${hrefOf(`/organizations/${part(id)}`)}>${name}</a>`,
      },
      { name: organizations.description, cell: ({ description }) => description },
      ...this.domainColumn<Organization>(organizations.domain),
      { name: people.state, cell: ({ enabled }) => stateBadge(enabled) },
    ]);
  }

  #tree(): Content {
    return [...this.domains].map(
      ([id, name]) => html`<section class="card">
        <h2><a href=${hrefOf(`/domains/${part(id)}`)}>${words.grants.domainNamed} ${name}</a></h2>
        ${tree(id)}
      </section>`,
    );
  }

  protected content(): Content {
    const { organizations } = words;
    const tabs = [
      { id: 'list', label: organizations.list, href: hrefOf('/organizations'), content: () => this.#list() },
      ...(this.domains.size > 0
        ? [
            {
              id: 'tree',
              label: organizations.tree,
              href: hrefOf('/organizations', { tab: 'tree' }),
              content: () => this.#tree(),
            },
          ]
        : []),
    ];
    const tab = currentTab(tabs, this.location.query.get('tab'));
    return html`${tabBar(organizations.title, tabs, tab)}${tab?.content()}`;
  }
}

define('gh-organizations', Organizations);
