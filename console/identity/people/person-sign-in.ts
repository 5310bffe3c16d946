// How a person signs in: password, second factor, passkeys, remembered devices.
import { html, nothing } from 'lit';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { table } from '../../shared/table.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { lockBadge, lockPath, lockReasons } from './lock.ts';
import { personOptions } from './person-options.ts';
import { PersonTab } from './person-tab.ts';
import { previewCard, readPreview, type SignInPreview } from './sign-in-preview.ts';

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly synced: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface Device {
  readonly id: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
}

interface SecondFactor {
  readonly enabled: boolean;
  readonly recovery_codes_left: number;
}

export class PersonSignIn extends PersonTab {
  #factor: SecondFactor | undefined;
  #passkeys: readonly Passkey[] = [];
  #devices: readonly Device[] = [];
  #preview: SignInPreview | undefined;

  async load(signal: AbortSignal): Promise<void> {
    const { path, may } = this.context;
    const [factor, passkeys, devices, preview] = await Promise.all([
      may('is_two_factor_auth_enabled')
        ? api.get<{ two_factor_auth: SecondFactor }>(`${path}/OS-TWO-FACTOR/two_factor_auth`, { signal })
        : undefined,
      may('list_passkeys') ? api.get<{ passkeys: readonly Passkey[] }>(`${path}/OS-PASSKEYS/passkeys`, { signal }) : undefined,
      may('list_devices') ? api.get<{ devices: readonly Device[] }>(`${path}/OS-TWO-FACTOR/devices`, { signal }) : undefined,
      may('identity:preview_sign_in') ? readPreview(path, signal) : undefined,
    ]);
    this.#factor = factor?.two_factor_auth;
    this.#passkeys = passkeys?.passkeys ?? [];
    this.#devices = devices?.devices ?? [];
    this.#preview = preview;
  }

  async #done(isDone: boolean, text: string): Promise<void> {
    if (!isDone) return;
    await this.context.reload();
    announce(text);
  }

  async #setPassword(): Promise<void> {
    const { people } = words;
    const { user, path } = this.context;
    const isDone = await openForm({
      title: people.setPasswordTitle(user.name),
      text: people.setPasswordText,
      submitLabel: people.setPassword,
      fields: [
        {
          name: 'password',
          label: people.newPassword,
          type: 'password',
          required: true,
          autocomplete: 'new-password',
          canGenerate: true,
          maxLength: 4096,
        },
      ],
      submit: async (values) => {
        await api.patch(path, { user: { password: values.text('password') } });
      },
    });
    await this.#done(isDone, people.passwordSet);
  }

  async #expirePassword(): Promise<void> {
    const { people } = words;
    const { user, path } = this.context;
    const isDone = await confirmAct({
      title: people.expireTitle(user.name),
      text: people.expireText,
      action: people.expirePassword,
      run: () => api.post(`${path}/OS-PASSWORD/expire`),
    });
    await this.#done(isDone, people.passwordExpired);
  }

  async #resetFactor(): Promise<void> {
    const { people } = words;
    const { user, path } = this.context;
    const isDone = await confirmAct({
      title: people.resetFactorTitle(user.name),
      text: people.resetFactorText(this.#devices.length),
      action: people.resetFactor,
      run: () => api.delete(`${path}/OS-TWO-FACTOR/two_factor_auth`),
    });
    await this.#done(isDone, people.factorReset);
  }

  async #unlock(): Promise<void> {
    const { people } = words;
    const { user, path } = this.context;
    const isDone = await confirmAct({
      title: people.unlockTitle(user.name),
      text: people.unlockText,
      action: people.unlock,
      danger: false,
      run: () => api.delete(lockPath(path)),
    });
    await this.#done(isDone, people.unlocked(user.name));
  }

  async #removePasskey({ id, name }: Passkey): Promise<void> {
    const { people } = words;
    const isDone = await confirmAct({
      title: people.removePasskey,
      text: people.removePasskeyText(name),
      action: people.removePasskey,
      run: () => api.delete(`${this.context.path}/OS-PASSKEYS/passkeys/${part(id)}`),
    });
    await this.#done(isDone, people.passkeyRemoved);
  }

  async #forget(device?: Device): Promise<void> {
    const { people } = words;
    const path = `${this.context.path}/OS-TWO-FACTOR/devices`;
    const isDone = await confirmAct({
      title: device ? people.forgetDevice : people.forgetDevices,
      text: people.forgetText(device ? 1 : this.#devices.length),
      action: device ? people.forgetDevice : people.forgetDevices,
      run: () => api.delete(device ? `${path}/${part(device.id)}` : path),
    });
    await this.#done(isDone, people.forgotten);
  }

  #password(): Content {
    const { people } = words;
    const { user, may } = this.context;
    if (!may('identity:update_user')) return nothing;
    const expire = html`<button type="button" class="second danger" @click=${() => void this.#expirePassword()}>${people.expirePassword}</button>`;
    return html`<section class="card"><h2>${people.password}</h2>
      <dl class="facts"><dt>${people.passwordExpires}</dt><dd>${time(user.password_expires_at, people.never)}</dd></dl>
      <div class="buttons"><button type="button" class="second" @click=${() => void this.#setPassword()}>${people.setPassword}</button>
        ${may('identity:expire_password') ? expire : nothing}</div>
    </section>`;
  }

  #lock(): Content {
    const { people } = words;
    const { lock, may } = this.context;
    if (!lock) return nothing;
    const unlock = html`<button type="button" class="second" @click=${() => void this.#unlock()}>${people.unlock}</button>`;
    return html`<section class="card"><h2>${people.wrongGuesses}</h2>
      ${
        lock.state === 'open'
          ? html`<p><span class="badge good">${people.notLocked}</span></p>`
          : html`<p>${lockBadge(lock)}</p>${lockReasons(lock)}${may('identity:unlock_user') ? unlock : nothing}`
      }
    </section>`;
  }

  #secondFactor(): Content {
    const { people } = words;
    const { may } = this.context;
    const factor = this.#factor;
    if (!factor) return nothing;
    return html`<section class="card"><h2>${people.secondFactor}</h2>
      ${
        factor.enabled
          ? html`<p><span class="badge good">${people.factorOn}</span></p><p>${people.codesLeft(factor.recovery_codes_left)}</p>
            ${may('disable_two_factor_auth') ? html`<button type="button" class="second danger" @click=${() => void this.#resetFactor()}>${people.resetFactor}</button>` : nothing}`
          : html`<p><span class="badge warn">${people.factorOff}</span></p><p class="soft">${people.factorOffText}</p>`
      }
    </section>`;
  }

  #passkeyList(): Content {
    const { people } = words;
    if (!this.context.may('list_passkeys')) return nothing;
    return html`<h2>${people.passkeys}</h2>
    ${table<Passkey>({
      caption: people.passkeys,
      rows: this.#passkeys,
      key: ({ id }) => id,
      columns: [
        { name: people.keyName, isHeader: true, cell: ({ name }) => name },
        { name: people.made, cell: ({ created_at: at }) => relativeTime(at) },
        { name: people.lastUsed, cell: ({ last_used_at: at }) => relativeTime(at, people.never) },
        { name: people.synced, cell: ({ synced }) => (synced ? people.inAccount : people.onDevice) },
      ],
      actions: (passkey) =>
        html`<button type="button" class="second small danger" @click=${() => void this.#removePasskey(passkey)}>${people.remove}<span class="hidden"> ${passkey.name}</span></button>`,
      empty: people.noPasskeys,
    })}`;
  }

  #deviceList(): Content {
    const { people } = words;
    const { may } = this.context;
    if (!may('list_devices')) return nothing;
    return html`<div class="between"><h2>${people.devices}</h2>
      ${this.#devices.length > 0 && may('forget_devices') ? html`<button type="button" class="second small danger" @click=${() => void this.#forget()}>${people.forgetDevices}</button>` : nothing}</div>
    ${table<Device>({
      caption: people.devices,
      rows: this.#devices,
      key: ({ id }) => id,
      columns: [
        { name: people.browser, isHeader: true, cell: ({ user_agent: agent }) => agent || people.unknown },
        { name: people.remembered, cell: ({ created_at: at }) => relativeTime(at) },
        { name: people.lastUsed, cell: ({ last_used_at: at }) => relativeTime(at) },
      ],
      actions: (device) =>
        html`<button type="button" class="second small danger" @click=${() => void this.#forget(device)}>${people.forgetDevice}</button>`,
      empty: people.noDevices,
    })}`;
  }

  content(): Content {
    return html`${previewCard(this.context.user.name, this.#preview)}<div class="cards">${this.#password()}${this.#secondFactor()}${this.#lock()}</div>${this.#passkeyList()}${this.#deviceList()}
      ${this.context.may('identity:update_user') ? personOptions(this.context) : nothing}`;
  }
}
