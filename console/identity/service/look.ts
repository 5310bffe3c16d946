// How the service looks: name, colour, links and language as settings, its logo and icon, and the sign-in page as it would be.
import { html } from 'lit';
import type { Version } from '../../shared/edit.ts';
import type { Content } from '../../shared/screen.ts';
import { LookPanel } from '../look/look-panel.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { ServicePart } from './part.ts';
import { readSettings, type Setting, settingForm } from './setting-form.ts';

const LOGO = 'GATEHOUSE_IDENTITY_BRAND_LOGO';

export class Look extends ServicePart {
  #version: Version<readonly Setting[]> = { thing: [], etag: undefined };
  readonly #panel = new LookPanel({
    path: '/v3/OS-SERVICE/look',
    keys: {
      name: 'GATEHOUSE_IDENTITY_BRAND_NAME',
      color: 'GATEHOUSE_IDENTITY_BRAND_COLOR',
      language: 'GATEHOUSE_IDENTITY_PAGE_LANGUAGE',
      help_url: 'GATEHOUSE_IDENTITY_HELP_URL',
      terms_url: 'GATEHOUSE_IDENTITY_TERMS_URL',
      privacy_url: 'GATEHOUSE_IDENTITY_PRIVACY_URL',
    },
    reload: () => this.reload(),
    update: () => this.update(),
  });

  async load(signal: AbortSignal): Promise<void> {
    this.#version = await readSettings(signal);
    const { thing: settings } = this.#version;
    const fixedLogo = settings.some(({ key, value }) => key === LOGO && value !== null && value !== '') ? LOGO : undefined;
    await this.#panel.load({ settings, fixedLogo, mayChange: session.may('identity:update_service_settings') }, signal);
  }

  content(): Content {
    const { look } = words;
    const form = session.may('identity:update_service_settings')
      ? settingForm(this.#version, 'look', this.#panel.reload, this.#panel.entered)
      : html`<p class="soft">${look.readOnly}</p>`;
    return html`<p>${look.intro}</p>${this.#panel.content(form)}`;
  }
}
