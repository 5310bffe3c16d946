// Where a person is signed in, and the access tokens that applications hold for them.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime } from '../../shared/time.ts';
import { namesOfApplications, thingLink } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

interface AccessToken {
  readonly id: string;
  readonly consumer_id: string;
  readonly scopes: readonly string[];
  readonly expires_at: string;
}

interface Session {
  readonly id: string;
  readonly browser: string | null;
  readonly system: string | null;
  readonly address: string | null;
  readonly signed_in_at: string;
  readonly last_used_at: string | null;
  readonly applications: readonly { readonly id: string; readonly name: string }[];
}

export class PersonSessions extends PersonTab {
  #sessions: readonly Session[] = [];
  #applications: ReadonlyMap<string, string> = new Map();
  #tokens: readonly AccessToken[] = [];

  async load(signal: AbortSignal): Promise<void> {
    const { path, may } = this.context;
    const [sessions, tokens] = await Promise.all([
      may('identity:list_user_sessions')
        ? api.get<{ sessions: readonly Session[] }>(`${path}/OS-SESSIONS/sessions`, { signal })
        : undefined,
      may('access_tokens')
        ? api.get<{ access_tokens: readonly AccessToken[] }>(`${path}/OS-OAUTH2/access_tokens`, { signal })
        : undefined,
    ]);
    this.#sessions = sessions?.sessions ?? [];
    this.#tokens = tokens?.access_tokens ?? [];
    this.#applications = await namesOfApplications(
      this.#tokens.map(({ consumer_id: id }) => id),
      signal,
    );
  }

  /** One, or all of them. */
  async #endSession(session?: Session): Promise<void> {
    const { people } = words;
    const path = `${this.context.path}/OS-SESSIONS/sessions`;
    const title = session ? people.endSession : people.endSessions;
    const isDone = await confirmAct({
      title,
      text: people.endSessionsText(session ? 1 : this.#sessions.length),
      action: title,
      run: () => api.delete(session ? `${path}/${part(session.id)}` : path),
    });
    if (!isDone) return;
    await this.context.reload();
    announce(people.sessionsEnded);
  }

  #sessionList(): Content {
    const { people } = words;
    const { may } = this.context;
    if (!may('identity:list_user_sessions')) return nothing;
    const mayEnd = may('identity:end_user_sessions');
    const endAll = html`<button type="button" class="second small danger" @click=${() => void this.#endSession()}>${people.endSessions}</button>`;
    const end = (session: Session): Content =>
      html`<button type="button" class="second small danger" @click=${() => void this.#endSession(session)}>${people.endSession}</button>`;
    return html`<div class="between"><h2>${people.sessions}</h2>${mayEnd && this.#sessions.length > 0 ? endAll : nothing}</div>
    ${table<Session>({
      caption: people.sessions,
      rows: this.#sessions,
      key: ({ id }) => id,
      columns: [
        {
          name: people.browser,
          isHeader: true,
          cell: ({ browser, system }) => [browser, system].filter(Boolean).join(', ') || people.unknown,
        },
        { name: people.address, cell: ({ address }) => address ?? '' },
        { name: people.signedIn, cell: ({ signed_in_at: at }) => relativeTime(at) },
        { name: people.lastUsed, cell: ({ last_used_at: at }) => relativeTime(at) },
        { name: people.applications, cell: ({ applications }) => applications.map(({ name }) => name).join(', ') },
      ],
      ...(mayEnd ? { actions: end } : {}),
      empty: people.noSessions,
    })}`;
  }

  async #end({ id, consumer_id: application }: AccessToken): Promise<void> {
    const { people } = words;
    const isDone = await confirmAct({
      title: people.endToken,
      text: people.endTokenText(this.#applications.get(application) ?? application),
      action: people.endToken,
      run: () => api.delete(`${this.context.path}/OS-OAUTH2/access_tokens/${part(id)}`),
    });
    if (!isDone) return;
    await this.context.reload();
    announce(people.tokenEnded);
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
          cell: ({ consumer_id: id }) => thingLink('applications', id, this.#applications.get(id)),
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
    return html`${this.#sessionList()}${this.#tokenList()}`;
  }
}
