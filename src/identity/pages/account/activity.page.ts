// Section: what happened to the account.

import { browserName, type Html, html, type PageWords } from '../../ground/look/index.ts';
import { type AccountView, list, section } from './layout.ts';

export interface ActivityOnPage {
  /** In seconds. */
  readonly at: number;
  readonly action: keyof PageWords['activityEvents'];
  /** The application, the passkey or the type of credential. */
  readonly about: string | undefined;
  readonly isByOther: boolean;
  readonly isRefused: boolean;
  /** A wrong password at the account page, not at a sign-in. */
  readonly isWrongPassword: boolean;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

export interface ActivityPage {
  readonly events: readonly ActivityOnPage[];
  /** Paths of other pages. */
  readonly older: string | undefined;
  readonly newest: string | undefined;
}

function activityItem({ look }: AccountView, event: ActivityOnPage): Html {
  const { words } = look;
  const text = event.isWrongPassword ? words.wrongPasswordEntered : words.activityEvents[event.action];
  const where = [
    event.userAgent === undefined ? undefined : browserName(words, event.userAgent),
    event.address === undefined ? undefined : words.fromAddress(event.address),
    event.isByOther ? words.byAdministrator : undefined,
  ].filter((part) => part !== undefined);
  return html`<li><span${event.isRefused && html` class="refused"`}>${text}${event.about !== undefined && html`: ${event.about}`}<br>
<span class="soft">${look.time(event.at)}${where.map((part) => html`, ${part}`)}</span></span></li>`;
}

export function activitySection(view: AccountView, { events, older, newest }: ActivityPage): Html {
  const { words } = view.look;
  const items = events.map((event) => activityItem(view, event));
  const links = html`${newest !== undefined && html`<a href="${newest}">${words.newestEvents}</a> `}${older !== undefined && html`<a href="${older}">${words.olderEvents}</a>`}`;
  return section(
    words.accountPages.activity,
    html`<p class="soft">${words.activityText}</p>${list(items, words.noEvents)}<p>${links}</p>`,
  );
}
