// How the service looks: name, colour, links and language as settings, its logo and icon, and the sign-in page as it would be.
import { html, nothing, type TemplateResult } from 'lit';
import type { Version } from '../../shared/edit.ts';
import { ApiError } from '../../shared/http.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import type { Content } from '../../shared/screen.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { PICTURES, type Picture, type PictureKind, pictureCard } from './brand-picture.ts';
import { ServicePart } from './part.ts';
import { readSettings, type Setting, settingForm } from './setting-form.ts';

const PATH = '/v3/OS-SERVICE/look';
const KEY = (name: string): string => `GATEHOUSE_IDENTITY_${name}`;
const PAUSE_MS = 300;

/** The window that the sign-in page is shown in. */
interface View {
  readonly scheme: 'light' | 'dark';
  readonly isPhone: boolean;
}

const LINKS = { help_url: 'HELP_URL', terms_url: 'TERMS_URL', privacy_url: 'PRIVACY_URL' } as const;

export class Look extends ServicePart {
  #version: Version<readonly Setting[]> = { thing: [], etag: undefined };
  #pictures: Readonly<Partial<Record<PictureKind, Picture>>> = {};
  /** What was entered and is not saved, by key. */
  readonly #entered = new Map<string, string>();
  /** A logo that was chosen and is not saved. */
  #logo: string | undefined;
  /** Stays when the screen is loaded again. */
  static #view: View = { scheme: 'light', isPhone: false };
  #preview: string | undefined;
  #problem: Problem | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  async load(signal: AbortSignal): Promise<void> {
    this.#version = await readSettings(signal);
    const found = await Promise.all(PICTURES.map((kind) => readPicture(kind, signal)));
    this.#pictures = Object.fromEntries(PICTURES.map((kind, at) => [kind, found[at]]));
    if (session.may('identity:update_service_settings')) await this.#show(signal);
  }

  #value(name: string): string {
    const key = KEY(name);
    const setting = this.#version.thing.find((one) => one.key === key);
    const entered = this.#entered.get(key);
    return (entered === undefined ? setting?.value : entered || setting?.default) ?? '';
  }

  /** Asks for the page with what is entered now. */
  async #show(signal?: AbortSignal): Promise<void> {
    const color = this.#value('BRAND_COLOR');
    const look = {
      name: this.#value('BRAND_NAME'),
      color: color === '' ? null : color,
      ...Object.fromEntries(Object.entries(LINKS).map(([field, name]) => [field, this.#value(name) || null])),
      language: this.#value('PAGE_LANGUAGE'),
      scheme: Look.#view.scheme,
      ...(this.#logo === undefined ? {} : { logo: this.#logo }),
    };
    try {
      const { preview } = await api.post<{ preview: { url: string } }>(`${PATH}/preview`, { look }, signal ? { signal } : {});
      // It comes from here, whatever the public address of the service is.
      this.#preview = URL.parse(preview.url)?.pathname;
      this.#problem = undefined;
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#problem = problemOf(error, true);
    }
  }

  #soon(pause = PAUSE_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#show().then(() => this.update()), pause);
  }

  #choose(view: Partial<View>): void {
    Look.#view = { ...Look.#view, ...view };
    this.#soon(0);
  }

  #window(): TemplateResult {
    const { look } = words;
    const { scheme, isPhone } = Look.#view;
    const choice = (label: string, isChosen: boolean, view: Partial<View>) =>
      html`<button type="button" class="second small" aria-pressed=${isChosen} @click=${() => this.#choose(view)}>${label}</button>`;
    return html`<section class="card"><h2>${look.preview}</h2><p class="hint">${look.previewText}</p>
      <div class="buttons choices">${choice(look.light, scheme === 'light', { scheme: 'light' })}
        ${choice(look.dark, scheme === 'dark', { scheme: 'dark' })}
        ${choice(look.computer, !isPhone, { isPhone: false })}${choice(look.phone, isPhone, { isPhone: true })}</div>
      ${problemMessage(this.#problem)}
      ${this.#preview === undefined ? nothing : html`<iframe class="preview ${isPhone ? 'phone' : ''}" title=${look.preview} src=${this.#preview} sandbox=""></iframe>`}</section>`;
  }

  content(): Content {
    const mayChange = session.may('identity:update_service_settings');
    const isFixed = this.#version.thing.some(({ key, value }) => key === KEY('BRAND_LOGO') && value !== null && value !== '');
    const reload = async (): Promise<void> => {
      this.#entered.clear();
      await this.reload();
    };
    const entered = (key: string, value: string): void => {
      this.#entered.set(key, value.trim());
      this.#soon();
    };
    const chosen = (kind: PictureKind, content: string | undefined): void => {
      if (kind !== 'logo') return;
      this.#logo = content;
      this.#soon(0);
    };
    return html`<p>${words.look.intro}</p>
      <div class="beside"><div>
        <section class="card"><h2>${words.look.texts}</h2>
          ${mayChange ? settingForm(this.#version, 'look', reload, entered) : html`<p class="soft">${words.look.readOnly}</p>`}</section>
        ${PICTURES.map((kind) => pictureCard({ kind, picture: this.#pictures[kind], path: `${PATH}/${kind}`, mayChange, isFixed, onChosen: (content) => chosen(kind, content), onChange: reload }))}
      </div>${mayChange ? this.#window() : nothing}</div>`;
  }
}

async function readPicture(kind: PictureKind, signal: AbortSignal): Promise<Picture | undefined> {
  try {
    return (await api.get<{ picture: Picture }>(`${PATH}/${kind}`, { signal })).picture;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
