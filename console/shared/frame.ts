// The frame of a page: top bar, menu, the screen that the address names, and the place for messages.
import { html, nothing, render, type TemplateResult } from 'lit';
import { confirmAct, OUTDATED } from './dialog.ts';
import { tellFailedActs } from './failed-act.ts';
import { type Icon, icon } from './icons.ts';
import { type Location, type Route, Router } from './router.ts';
import type { Screen } from './screen.ts';
import { settings } from './settings.ts';
import { shared } from './words/index.ts';

/** A screen: the name of its element, and the module that defines it, loaded when it is first shown. */
export interface ScreenEntry {
  readonly element: string;
  /** The page of docs/guide about it. */
  readonly guide: string;
  load(): Promise<unknown>;
}

export interface MenuItem {
  readonly href: string;
  readonly label: string;
  readonly icon?: Icon;
  /** Addresses of further screens that the entry stands for. */
  readonly others?: readonly string[];
}

export interface Screens {
  readonly routes: readonly Route<ScreenEntry>[];
  /** What the person may open. */
  menu(): readonly MenuItem[];
}

/** Screens import the frame of their page, so it gets them last. */
export interface Frame {
  readonly router: Router<ScreenEntry>;
  start(screens: Screens): void;
  /** Renders the top bar and the menu again. */
  update(): void;
  /** Loads the current screen again. */
  reload(): void;
  /** Until the person saves or leaves, leaving asks. */
  setDirty(isDirty: boolean): void;
}

/** `tools`: at the right of the top bar, such as the role that the person acts in. */
export function createFrame(tools: () => TemplateResult | typeof nothing): Frame {
  let menu: Screens['menu'] = () => [];
  let current: { readonly element: string; readonly path: string; readonly screen: Screen } | undefined;
  let heading = '';
  let isMenuOpen = false;
  let turn = 0;

  const isCurrent = (href: string): boolean => {
    const { pathname } = window.location;
    return pathname === href || (href !== settings.base && href !== '/' && pathname.startsWith(`${href}/`));
  };

  function draw(): void {
    const { name, logo } = settings.brand;
    document.title = heading === '' ? name : `${heading} · ${name}`;
    render(
      html`<a class="skip" href="#content">${shared.skip}</a>
      <header class="top">
        <button type="button" class="plain menu-button" aria-expanded=${isMenuOpen ? 'true' : 'false'} aria-controls="menu" @click=${toggleMenu}>${icon('menu')} <span class="hidden">${shared.menu}</span></button>
        <a class="brand" href=${settings.base || '/'}>${logo ? html`<img src=${logo} alt="" />` : nothing}<span>${name}</span></a>
        <div class="tools">${tools()}</div>
      </header>
      <nav id="menu" class=${isMenuOpen ? 'menu open' : 'menu'} aria-label=${shared.menu}>
        <ul>${menu().map(({ href, label, icon: shown, others = [] }) => html`<li><a href=${href} aria-current=${[href, ...others].some(isCurrent) ? 'page' : 'false'}>${shown ? icon(shown) : nothing}<span>${label}</span></a></li>`)}</ul>
      </nav>
      <main id="content" tabindex="-1">${current?.screen ?? (turn > 0 ? noScreen() : nothing)}</main>
      <div id="status" role="status" aria-live="polite"></div>`,
      document.body,
    );
  }

  const noScreen = (): TemplateResult => html`<h1 tabindex="-1">${shared.notFoundTitle}</h1><p>${shared.noScreenText}</p>`;

  function toggleMenu(): void {
    isMenuOpen = !isMenuOpen;
    draw();
  }

  async function show(entry: ScreenEntry | undefined, location: Location): Promise<void> {
    const own = ++turn;
    const wasMenuOpen = isMenuOpen;
    isMenuOpen = false;
    if (!entry) {
      current = undefined;
      heading = shared.notFoundTitle;
      return draw();
    }
    const isSame = current?.element === entry.element && current.path === location.path;
    if (!isSame) {
      await entry.load();
      if (own !== turn) return;
      current = { element: entry.element, path: location.path, screen: document.createElement(entry.element) as Screen };
    }
    const { screen } = current!;
    screen.location = location;
    screen.guide = entry.guide;
    if (!isSame || wasMenuOpen) draw();
    await Promise.all([screen.reload(), screen.updateComplete]);
    // Screen readers continue at the new screen. Not when the screen only changes its list: the person may be typing.
    if (!isSame && own === turn) screen.querySelector<HTMLElement>('h1')?.focus();
  }

  const router = new Router<ScreenEntry>((entry, location) => void show(entry, location));
  document.addEventListener('heading', (event) => {
    const text = (event as CustomEvent<string>).detail;
    if (text === heading) return;
    heading = text;
    draw();
  });
  const askToLeave = (): Promise<boolean> =>
    confirmAct({ title: shared.leaveTitle, text: shared.leaveText, action: shared.leave });
  return {
    router,
    start(screens) {
      menu = screens.menu;
      tellFailedActs();
      window.addEventListener(OUTDATED, () => void current?.screen.reload());
      router.start(screens.routes);
    },
    update: draw,
    reload: () => void current?.screen.reload(),
    setDirty: (isDirty) => router.guard(isDirty ? askToLeave : undefined),
  };
}
