// Sections: sessions, and remembered devices.

import { browserName, type Html, hidden, html } from '../../ground/look/index.ts';
import { type AccountView, button, list, section } from './layout.ts';

export interface SessionOnPage {
  readonly id: string;
  readonly isCurrent: boolean;
  /** Times in seconds. */
  readonly signedInAt: number;
  readonly origin?: { readonly userAgent: string; readonly address: string; readonly lastUsedAt: number } | undefined;
}

function sessionItem(view: AccountView, { id, isCurrent, signedInAt, origin }: SessionOnPage): Html {
  const { look } = view;
  const { words } = look;
  const browser = origin ? browserName(words, origin.userAgent) : words.unknownBrowser;
  const about = html`${origin && html`${words.fromAddress(origin.address)}, `}${words.signedInAt} ${look.time(signedInAt)}${
    origin && html`, ${words.lastUsed} ${look.time(origin.lastUsedAt)}`
  }`;
  return html`<li><span><strong>${browser}</strong>${isCurrent && html` (${words.thisSession})`}<br><span class="soft">${about}</span></span>
${!isCurrent && button(view, 'end-session', words.endSession, hidden('session', id))}</li>`;
}

export function sessionsSection(view: AccountView, sessions: readonly SessionOnPage[]): Html {
  const { words } = view.look;
  const items = [...sessions].sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
  const end = sessions.length > 1 && button(view, 'end-sessions', words.endOtherSessions);
  return section(
    words.sessions,
    html`${list(
      items.map((one) => sessionItem(view, one)),
      '',
    )}${end}`,
  );
}

export interface DeviceOnPage {
  readonly id: string;
  readonly userAgent: string;
  readonly lastUsed: number;
}

export function devicesSection(view: AccountView, devices: readonly DeviceOnPage[]): Html {
  const { look } = view;
  const { words } = look;
  const items = devices.map(
    ({ id, userAgent, lastUsed }) =>
      html`<li><span><strong>${browserName(words, userAgent)}</strong><br><span class="soft">${words.lastUsed} ${look.time(lastUsed)}</span></span>
${button(view, 'forget-device', words.forget, hidden('device', id))}</li>`,
  );
  return section(words.devices, html`<p class="soft">${words.devicesText}</p>${list(items, words.noDevices)}`);
}
