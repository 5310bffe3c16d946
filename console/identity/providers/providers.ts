// Other providers that people sign in through, in the order of their buttons.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import { stateBadge } from '../people/shared.ts';
import { domainNames, type Links } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { PROVIDERS, type SignInProvider } from './types.ts';

const PAGE = 100;

const byPlace = (one: SignInProvider, other: SignInProvider): number =>
  (one.button_order ?? Number.POSITIVE_INFINITY) - (other.button_order ?? Number.POSITIVE_INFINITY) ||
  (one.name ?? one.id).localeCompare(other.name ?? other.id);

class Providers extends Screen {
  #providers: readonly SignInProvider[] = [];
  #domains: ReadonlyMap<string, string> = new Map();
  #next: string | undefined;

  heading(): string {
    return words.providers.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const query = { limit: PAGE, marker: listQuery(this.location).marker };
    const [{ sign_in_providers: providers, links }, domains] = await Promise.all([
      api.get<{ sign_in_providers: SignInProvider[]; links: Links }>(PROVIDERS, { query, signal }),
      domainNames(signal),
    ]);
    this.#providers = providers.toSorted(byPlace);
    this.#next = nextMarker(links.next);
    this.#domains = domains;
  }

  protected override headingActions(): Content {
    if (!session.may('identity:create_identity_provider')) return '';
    return html`<a class="button" href=${hrefOf('/new-provider')}>${words.providers.add}</a>`;
  }

  protected content(): Content {
    const { providers } = words;
    return html`<p>${providers.intro}</p>
    ${table<SignInProvider>({
      caption: providers.title,
      rows: this.#providers,
      key: ({ id }) => id,
      columns: [
        {
          name: providers.provider,
          isHeader: true,
          cell: ({ id, name }) => html`<a href=${hrefOf(`/providers/${part(id)}`)}>${name ?? id}</a>`,
        },
        {
          name: providers.state,
          cell: ({ enabled, protocols }) =>
            enabled && protocols.length === 0
              ? html`<span class="badge warn">${providers.unfinished}</span>`
              : stateBadge(enabled),
        },
        {
          name: providers.protocol,
          cell: ({ protocols }) => protocols.map((one) => providers.protocols[one]).join(', ') || '–',
        },
        { name: providers.issuer, cell: ({ issuer }) => (issuer === null ? '–' : html`<code class="wrap">${issuer}</code>`) },
        { name: providers.domain, cell: ({ domain_id: id }) => this.#domains.get(id) ?? id },
        { name: providers.emailDomains, cell: ({ email_domains: all }) => all.join(', ') || '–' },
      ],
      empty: providers.empty,
    })}
    ${pager(listQuery(this.location), this.#next, goQuery)}`;
  }
}

define('gh-providers', Providers);
