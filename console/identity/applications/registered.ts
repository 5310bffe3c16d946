// Applications that registered themselves, and the tokens for it.
import { html, nothing } from 'lit';
import { confirmAct, openForm, showSecret } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type ListQuery, listQuery, nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { type Column, table } from '../../shared/table.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { type MayWithRow, mayWithEach } from '../allowed.ts';
import { goQuery } from '../frame.ts';
import { domainNames, findDomains, type Links } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { subScreens } from './sub-screens.ts';

interface Registered {
  readonly id: string;
  readonly name: string;
  readonly registered_by: keyof typeof words.selfRegistration.origins;
  readonly registered_with: string | null;
  readonly domain_id: string | null;
  readonly redirect_uris: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly kept: boolean;
}

interface Token {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly uses_left: number;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

const APPLICATIONS = '/v3/OS-OAUTH2/registered_applications';
const TOKENS = '/v3/OS-OAUTH2/registration_tokens';
const PAGE = 50;
const DAY = 86_400;
const LIFETIMES = [3600, DAY, 604_800, 2_592_000] as const;
const MAX_USES = 1000;

/** Where it sends people: hosts are all that tells one stranger from another. */
const placesOf = ({ redirect_uris: uris }: Registered): string =>
  [...new Set(uris.map((uri) => URL.parse(uri)?.host ?? uri))].join(', ');

class RegisteredApplications extends Screen {
  #query: ListQuery = { search: undefined, sort: undefined, marker: undefined };
  #rows: readonly Registered[] = [];
  #next: string | undefined;
  #tokens: readonly Token[] = [];
  #domains: ReadonlyMap<string, string> = new Map();
  #may: MayWithRow<Registered> = () => false;

  heading(): string {
    return words.selfRegistration.title;
  }

  get #mayMakeTokens(): boolean {
    return session.may('identity:manage_registration_tokens');
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#query = listQuery(this.location);
    const query = { marker: this.#query.marker, limit: PAGE };
    const [answer, tokens, domains] = await Promise.all([
      api.get<{ registered_applications: Registered[]; links: Links }>(APPLICATIONS, { query, signal }),
      this.#mayMakeTokens ? api.get<{ registration_tokens: Token[] }>(TOKENS, { signal }) : { registration_tokens: [] },
      domainNames(signal),
    ]);
    this.#rows = answer.registered_applications;
    this.#next = nextMarker(answer.links.next);
    this.#tokens = tokens.registration_tokens;
    this.#domains = domains;
    const ids = ({ id }: Registered) => ({ application_id: id });
    // Managers of a domain see those of theirs, and manage what was kept.
    const key = ({ domain_id: domain, kept }: Registered): string => `${domain} ${kept}`;
    this.#may = await mayWithEach<Registered>({ rows: this.#rows, key, ids }, signal);
  }

  protected override headingActions(): Content {
    if (!this.#mayMakeTokens) return nothing;
    return html`<button type="button" @click=${() => void this.#createToken()}>${words.selfRegistration.newToken}</button>`;
  }

  #domainName(id: string | null): string {
    return id === null ? words.selfRegistration.everyDomain : (this.#domains.get(id) ?? id);
  }

  /** When there are several. */
  #domainColumn<Of extends { readonly domain_id: string | null }>(): Column<Of>[] {
    if (this.#domains.size <= 1) return [];
    return [{ name: words.selfRegistration.domain, cell: ({ domain_id: id }) => this.#domainName(id) }];
  }

  async #createToken(): Promise<void> {
    const { selfRegistration } = words;
    let token = '';
    const made = await openForm({
      title: selfRegistration.newToken,
      text: selfRegistration.newTokenText,
      fields: [
        { name: 'name', label: selfRegistration.name, required: true, maxLength: 255 },
        ...(this.#domains.size > 1
          ? [{ name: 'domain', label: selfRegistration.domain, type: 'pick' as const, required: true, find: findDomains }]
          : []),
        {
          name: 'uses',
          label: selfRegistration.uses,
          type: 'number',
          value: '1',
          hint: selfRegistration.usesHint(MAX_USES),
          required: true,
        },
        {
          name: 'lifetime',
          label: selfRegistration.lifetime,
          type: 'select',
          required: true,
          value: String(DAY),
          options: LIFETIMES.map((seconds) => ({ value: String(seconds), label: selfRegistration.lifetimes[seconds] })),
        },
      ],
      submitLabel: shared.create,
      submit: async (values) => {
        const domain = values.text('domain');
        const body = {
          name: values.text('name'),
          ...(domain ? { domain_id: domain } : {}),
          uses: Number(values.text('uses')),
          lifetime_seconds: Number(values.text('lifetime')),
        };
        token = (await api.post<{ registration_token: { token: string } }>(TOKENS, { registration_token: body }))
          .registration_token.token;
      },
    });
    if (!made) return;
    await showSecret(selfRegistration.token, token, shared.secretText);
    await this.reload();
  }

  async #endToken({ id, name }: Token): Promise<void> {
    const { selfRegistration } = words;
    const run = (): Promise<void> => api.delete(`${TOKENS}/${part(id)}`);
    const title = selfRegistration.endTitle(name);
    if (await confirmAct({ title, text: selfRegistration.endText, action: selfRegistration.end, run })) await this.reload();
  }

  async #keep({ id, name, redirect_uris }: Registered): Promise<void> {
    const { selfRegistration } = words;
    const done = await confirmAct({
      title: selfRegistration.keepTitle(name),
      text: selfRegistration.keepText,
      action: selfRegistration.keep,
      danger: false,
      run: () => api.post(`${APPLICATIONS}/${part(id)}/keep`, { registered_application: { name, redirect_uris } }),
    });
    if (!done) return;
    await this.reload();
    announce(selfRegistration.isKept(name));
  }

  async #remove({ id, name }: Registered): Promise<void> {
    const { selfRegistration } = words;
    const run = (): Promise<void> => api.delete(`${APPLICATIONS}/${part(id)}`);
    const title = selfRegistration.removeTitle(name);
    if (await confirmAct({ title, text: selfRegistration.removeText, action: shared.remove, run })) await this.reload();
  }

  #applications(): Content {
    const { selfRegistration } = words;
    return html`${table<Registered>({
      caption: selfRegistration.title,
      rows: this.#rows,
      key: ({ id }) => id,
      columns: [
        {
          name: selfRegistration.name,
          isHeader: true,
          // Managers of the domain keep it first, and manage it then.
          cell: (row) =>
            this.#may(row, 'get_consumer') ? html`<a href=${hrefOf(`/applications/${part(row.id)}`)}>${row.name}</a>` : row.name,
        },
        { name: selfRegistration.places, cell: placesOf },
        {
          name: selfRegistration.how,
          cell: ({ registered_by: by, registered_with: name }) =>
            name === null ? selfRegistration.origins[by] : selfRegistration.withToken(name),
        },
        ...this.#domainColumn<Registered>(),
        { name: selfRegistration.since, cell: ({ created_at }) => relativeTime(created_at) },
        {
          name: selfRegistration.ends,
          cell: ({ expires_at: at }) => (at === null ? html`<span class="badge good">${selfRegistration.kept}</span>` : time(at)),
        },
      ],
      actions: (row) =>
        row.kept
          ? nothing
          : html`<button type="button" class="second small" aria-label=${selfRegistration.keepTitle(row.name)} @click=${() => void this.#keep(row)}>${selfRegistration.keep}</button>
          <button type="button" class="second small danger" aria-label=${selfRegistration.removeTitle(row.name)} @click=${() => void this.#remove(row)}>${shared.remove}</button>`,
      empty: selfRegistration.empty,
    })}
    ${pager(this.#query, this.#next, goQuery)}`;
  }

  #tokenList(): Content {
    const { selfRegistration } = words;
    if (!this.#mayMakeTokens) return nothing;
    return html`<section class="card"><h2>${selfRegistration.tokens}</h2><p>${selfRegistration.tokensText}</p>
    ${table<Token>({
      caption: selfRegistration.tokens,
      rows: this.#tokens,
      key: ({ id }) => id,
      columns: [
        { name: selfRegistration.name, isHeader: true, cell: ({ name }) => name },
        ...this.#domainColumn<Token>(),
        { name: selfRegistration.usesLeft, cell: ({ uses_left: left }) => String(left) },
        { name: selfRegistration.lastUsed, cell: ({ last_used_at: at }) => relativeTime(at, selfRegistration.never) },
        { name: selfRegistration.ends, cell: ({ expires_at: at }) => time(at) },
      ],
      actions: (token) =>
        html`<button type="button" class="second small danger" aria-label=${selfRegistration.endTitle(token.name)} @click=${() => void this.#endToken(token)}>${selfRegistration.end}</button>`,
      empty: selfRegistration.noTokens,
    })}</section>`;
  }

  protected content(): Content {
    return html`${subScreens('/applications/registered')}<p>${words.selfRegistration.text}</p>
    ${this.#applications()}${this.#tokenList()}`;
  }
}

define('gh-registered-applications', RegisteredApplications);
