// Sections: sessions, and remembered devices.
import { type AccountView, button, list, section } from './account-layout.ts';
import { type Html, html } from './html.ts';
import { hidden } from './layout.ts';

export interface SessionOnPage {
  readonly signedInAt: number;
  readonly isCurrent: boolean;
}

export function sessionsSection(view: AccountView, sessions: readonly SessionOnPage[]): Html {
  const { look } = view;
  const { words } = look;
  const items = sessions.map(
    ({ signedInAt, isCurrent }) =>
      html`<li><span>${words.signedInAt} ${look.time(signedInAt)}${isCurrent && html` <strong>(${words.thisSession})</strong>`}</span></li>`,
  );
  const end = sessions.length > 1 && button(view, 'end-sessions', words.endOtherSessions);
  return section(words.sessions, html`${list(items, '')}${end}`);
}

export interface DeviceOnPage {
  readonly id: string;
  readonly agent: string;
  readonly lastUsed: number;
}

export function devicesSection(view: AccountView, devices: readonly DeviceOnPage[]): Html {
  const { look } = view;
  const { words } = look;
  const items = devices.map(
    ({ id, agent, lastUsed }) =>
      html`<li><span>${agent} <span class="soft">${words.lastUsed} ${look.time(lastUsed)}</span></span>
${button(view, 'forget-device', words.forget, hidden('device', id))}</li>`,
  );
  return section(words.devices, list(items, words.noDevices));
}
