// Who gave an application access to their data, and who holds tokens of it.
import { html, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { confirmAct } from '../../shared/dialog.ts';
import { nextMarker, pager } from '../../shared/list.ts';
import { hrefOf, type Location, part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { goQuery } from '../frame.ts';
import { impactOf } from '../impact.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import type { ListLinks } from './types.ts';

const PAGE = 50;

interface Grant {
  readonly user: { readonly id: string; readonly name: string };
  readonly consented: boolean;
  readonly access_tokens: number;
  readonly refresh_tokens: number;
  readonly first_at: string;
  readonly last_at: string;
}

export interface AccessContent {
  readonly grants: readonly Grant[];
  readonly marker: string | undefined;
  readonly next: string | undefined;
}

const consumerPath = (applicationId: string): string => `/v3/OS-OAUTH2/consumers/${part(applicationId)}`;
const pathOf = (applicationId: string): string => `${consumerPath(applicationId)}/grants`;

export async function readAccess(applicationId: string, { query }: Location, signal: AbortSignal): Promise<AccessContent> {
  const marker = query.get('marker') ?? undefined;
  const { grants, links } = await api.get<{ grants: Grant[]; links: ListLinks }>(pathOf(applicationId), {
    query: { limit: PAGE, marker },
    signal,
  });
  return { grants, marker, next: nextMarker(links.next) };
}

export function access(applicationId: string, content: AccessContent, reload: () => Promise<void>): TemplateResult {
  const { applications } = words;
  const end = async (grant: Grant): Promise<void> => {
    const { user, access_tokens: accessTokens, refresh_tokens: refreshTokens } = grant;
    const ended = await confirmAct({
      title: applications.endAccessTitle(user.name),
      text: applications.endAccessText(accessTokens, refreshTokens),
      action: applications.endAccess,
      run: () => api.delete(`${pathOf(applicationId)}/${part(user.id)}`),
    });
    if (!ended) return;
    await reload();
    announce(applications.accessEnded(user.name));
  };
  const endAll = async (): Promise<void> => {
    const ended = await confirmAct({
      title: applications.endAllAccessTitle,
      text: html`<p>${applications.endAllAccessText}</p>${impactOf(consumerPath(applicationId), ['consents', 'tokens'])}`,
      action: applications.endAllAccess,
      run: () => api.delete(pathOf(applicationId)),
    });
    if (!ended) return;
    await reload();
    announce(applications.allAccessEnded);
  };
  const maySeePeople = session.may('identity:list_users');
  return html`<div class="intro"><p>${applications.accessIntro}</p>
      <button type="button" class="second danger" @click=${() => void endAll()}>${applications.endAllAccess}</button></div>
    ${keyed(content, impactOf(consumerPath(applicationId), ['consents', 'tokens'], applications.accessTotal))}
    ${table<Grant>({
      caption: applications.tabs.access,
      rows: content.grants,
      key: ({ user }) => user.id,
      columns: [
        {
          name: applications.person,
          isHeader: true,
          cell: ({ user: { id, name } }) =>
            maySeePeople ? html`<a href=${hrefOf(`/people/${part(id)}`)}>${name || id}</a>` : name || id,
        },
        {
          name: applications.consent,
          cell: ({ consented }) => (consented ? applications.consentGiven : applications.consentNotAsked),
        },
        {
          name: applications.tokens,
          cell: ({ access_tokens: accessTokens, refresh_tokens: refreshTokens }) =>
            applications.tokenCounts(accessTokens, refreshTokens),
        },
        { name: applications.firstAccess, cell: ({ first_at }) => time(first_at) },
        { name: applications.lastAccess, cell: ({ last_at }) => relativeTime(last_at) },
      ],
      actions: (grant) =>
        html`<button type="button" class="second small danger" aria-label=${applications.endAccessTitle(grant.user.name)} @click=${() => void end(grant)}>${applications.endAccess}</button>`,
      empty: applications.noAccess,
    })}
    ${pager({ search: undefined, sort: undefined, marker: content.marker }, content.next, goQuery)}`;
}
