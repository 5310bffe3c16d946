// How the service or a domain looks: a form of settings, its logo and icon, and the sign-in page as it would be.
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError } from '../../shared/http.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import type { Content } from '../../shared/screen.ts';
import type { AnySetting } from '../service/setting-field.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PICTURES, type Picture, type PictureKind, pictureCard } from './brand-picture.ts';

const PAUSE_MS = 300;
export const LOOK_FIELDS = ['name', 'color', 'language', 'help_url', 'terms_url', 'privacy_url'] as const;
/** As the preview calls them. */
export type LookField = (typeof LOOK_FIELDS)[number];

/** Whose look it is. */
export interface LookOwner {
  /** Of its pictures and previews in the API. */
  readonly path: string;
  readonly keys: Readonly<Record<LookField, string>>;
  /** Texts of its pictures that are not those of the service. */
  readonly pictureTexts?: Partial<Record<PictureKind, { readonly about: string; readonly removeText: string }>>;
  reload(): Promise<void>;
  update(): void;
}

/** As it was read. */
export interface ShownLook {
  readonly settings: readonly AnySetting[];
  readonly mayChange: boolean;
  /** Where the operator has given the logo. */
  readonly fixedLogo: string | undefined;
}

/** The window that the sign-in page is shown in. */
interface View {
  readonly scheme: 'light' | 'dark';
  readonly isPhone: boolean;
}

export class LookPanel {
  readonly #owner: LookOwner;
  #shown: ShownLook = { settings: [], mayChange: false, fixedLogo: undefined };
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

  constructor(owner: LookOwner) {
    this.#owner = owner;
  }

  async load(shown: ShownLook, signal: AbortSignal): Promise<void> {
    this.#shown = shown;
    const found = await Promise.all(PICTURES.map((kind) => readPicture(`${this.#owner.path}/${kind}`, signal)));
    this.#pictures = Object.fromEntries(PICTURES.map((kind, at) => [kind, found[at]]));
    if (shown.mayChange) await this.#show(signal);
  }

  #value(field: LookField): string {
    const key = this.#owner.keys[field];
    const setting = this.#shown.settings.find((one) => one.key === key);
    const entered = this.#entered.get(key);
    return (entered === undefined ? setting?.value : entered || setting?.default) ?? '';
  }

  /** Asks for the page with what is entered now. */
  async #show(signal?: AbortSignal): Promise<void> {
    const look = {
      ...Object.fromEntries(LOOK_FIELDS.map((field) => [field, this.#value(field) || null])),
      name: this.#value('name'),
      scheme: LookPanel.#view.scheme,
      ...(this.#logo === undefined ? {} : { logo: this.#logo }),
    };
    const { path } = this.#owner;
    try {
      const { preview } = await api.post<{ preview: { url: string } }>(`${path}/preview`, { look }, signal ? { signal } : {});
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
    this.#timer = setTimeout(() => void this.#show().then(() => this.#owner.update()), pause);
  }

  #choose(view: Partial<View>): void {
    LookPanel.#view = { ...LookPanel.#view, ...view };
    this.#soon(0);
  }

  /** For the form of the settings. */
  readonly entered = (key: string, value: string): void => {
    this.#entered.set(key, value.trim());
    this.#soon();
  };

  readonly reload = async (): Promise<void> => {
    this.#entered.clear();
    await this.#owner.reload();
  };

  /** Nothing on the page works, so the keyboard goes past it: some browsers do not find out of it. */
  #window(): TemplateResult {
    const { look } = words;
    const { scheme, isPhone } = LookPanel.#view;
    const choice = (label: string, isChosen: boolean, view: Partial<View>) =>
      html`<button type="button" class="second small" aria-pressed=${isChosen} @click=${() => this.#choose(view)}>${label}</button>`;
    return html`<section class="card"><h2>${look.preview}</h2><p class="hint">${look.previewText}</p>
      <div class="buttons choices">${choice(look.light, scheme === 'light', { scheme: 'light' })}
        ${choice(look.dark, scheme === 'dark', { scheme: 'dark' })}
        ${choice(look.computer, !isPhone, { isPhone: false })}${choice(look.phone, isPhone, { isPhone: true })}</div>
      ${problemMessage(this.#problem)}
      ${this.#preview === undefined ? nothing : html`<iframe class="preview ${isPhone ? 'phone' : ''}" title=${look.preview} src=${this.#preview} sandbox="" tabindex="-1"></iframe>`}</section>`;
  }

  #picture(kind: PictureKind): TemplateResult {
    const { path, pictureTexts = {} } = this.#owner;
    return pictureCard({
      kind,
      texts: { ...words.look.pictures[kind], ...pictureTexts[kind] },
      picture: this.#pictures[kind],
      path: `${path}/${kind}`,
      mayChange: this.#shown.mayChange,
      fixedBy: this.#shown.fixedLogo,
      onChosen: (content) => {
        if (kind !== 'logo') return;
        this.#logo = content;
        this.#soon(0);
      },
      onChange: this.reload,
    });
  }

  /** `form`: of the settings. */
  content(form: Content): Content {
    const { mayChange } = this.#shown;
    return html`<div class="beside"><div>
        <section class="card"><h2>${words.look.texts}</h2>${form}</section>
        ${PICTURES.map((kind) => this.#picture(kind))}
      </div>${mayChange ? this.#window() : nothing}</div>`;
  }
}

async function readPicture(path: string, signal: AbortSignal): Promise<Picture | undefined> {
  try {
    return (await api.get<{ picture: Picture }>(path, { signal })).picture;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
