// Where a person is signed in, and the access tokens that applications hold for them.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

interface AccessToken {
  readonly id: string;
  readonly consumer_id: string;
  readonly scopes: readonly string[];
  readonly expires_at: string;
}

export class PersonSessions extends PersonTab {
  #tokens: readonly AccessToken[] = [];

  async load(signal: AbortSignal): Promise<void> {
    const { path, may } = this.context;
    const tokens = may('access_tokens')
      ? await api.get<{ access_tokens: readonly AccessToken[] }>(`${path}/OS-OAUTH2/access_tokens`, { signal })
      : undefined;
    this.#tokens = tokens?.access_tokens ?? [];
  }

  async #end({ id, consumer_id: application }: AccessToken): Promise<void> {
    const { people } = words;
    const isDone = await confirmAct({
      title: people.endToken,
      text: people.endTokenText(application),
      action: people.endToken,
      run: () => api.delete(`${this.context.path}/OS-OAUTH2/access_tokens/${part(id)}`),
    });
    if (!isDone) return;
    announce(people.tokenEnded);
    await this.context.reload();
  }

  #tokenList(): Content {
    const { people } = words;
    if (!this.context.may('access_tokens')) return nothing;
    return html`<h2>${people.tokens}</h2>
    ${table<AccessToken>({
      caption: people.tokens,
      rows: this.#tokens,
      key: ({ id }) => id,
      columns: [
        {
          name: people.application,
          isHeader: true,
          cell: ({ consumer_id: id }) => html`<a href=${hrefOf(`/applications/${part(id)}`)}>${id}</a>`,
        },
        { name: people.scopes, cell: ({ scopes }) => scopes.join(' ') },
        { name: people.validUntil, cell: ({ expires_at: at }) => relativeTime(at) },
      ],
      actions: (token) =>
        html`<button type="button" class="second small danger" @click=${() => void this.#end(token)}>${people.endToken}</button>`,
      empty: people.noTokens,
    })}`;
  }

  content(): Content {
    return this.#tokenList();
  }
}
