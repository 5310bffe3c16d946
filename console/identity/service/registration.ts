// Who may make an account, and under which terms; the way to invitations and to the look of the service.
import { html, nothing } from 'lit';
import type { Version } from '../../shared/edit.ts';
import { hrefOf } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { countWaiting } from '../people/shared.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';
import { readSettings, type Setting, settingForm } from './setting-form.ts';

export class Registration extends ServicePart {
  #version: Version<readonly Setting[]> = { thing: [], etag: undefined };
  #waiting: number | undefined;

  async load(signal: AbortSignal): Promise<void> {
    [this.#version, this.#waiting] = await Promise.all([readSettings(signal), countWaiting(signal)]);
  }

  content(): Content {
    const { registering, look } = words;
    const settingOf = (name: string) => this.#version.thing.find(({ key }) => key === `GATEHOUSE_IDENTITY_${name}`)?.value;
    const terms = settingOf('TERMS_URL');
    const page = html`<a href="/openid/register" target="_blank" rel="noopener">${registering.page}</a>`;
    const invitations = html`<a href=${hrefOf('/people/invitations')}>${words.people.invitations}</a>`;
    const { waiting } = words.people;
    const label = this.#waiting ? waiting.tabWith(this.#waiting) : waiting.title;
    const wait = this.#waiting === undefined ? nothing : html`<a href=${hrefOf('/people/waiting')}>${label}</a>`;
    return html`<p>${registering.intro}</p>
      <p class="ways">${settingOf('REGISTRATION') === 'open' ? page : nothing} ${session.may('identity:list_invitations') ? invitations : nothing} ${wait}
        <a href=${hrefOf('/service/look')}>${terms ? registering.terms : registering.noTerms}</a></p>
      <section class="card"><h2>${words.settings.groups.registration}</h2>
        ${session.may('identity:update_service_settings') ? settingForm(this.#version, 'registration', this.reload) : html`<p class="soft">${look.readOnly}</p>`}</section>`;
  }
}
