// Screens by their addresses. Every screen has one, so that it can be bookmarked and sent to a colleague; back and forward work.
import { settings } from './settings.ts';

/** The address of a screen: path below the base, parts of it by name, and the query. */
export interface Location {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export interface Route<Screen> {
  /** Below the base, such as `/people/:id`. */
  readonly path: string;
  readonly screen: Screen;
}

function matchOf(pattern: string, path: string): Record<string, string> | undefined {
  const [names, parts] = [pattern.split('/'), path.split('/')];
  if (names.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = parts[at]!;
    if (!name.startsWith(':')) {
      if (name !== part) return undefined;
      continue;
    }
    if (part === '') return undefined;
    try {
      params[name.slice(1)] = decodeURIComponent(part);
    } catch {
      return undefined;
    }
  }
  return params;
}

/** Text as a part of a path. */
export const part = (text: string): string => encodeURIComponent(text);

/** The address of a screen, for links. Empty values are left out of the query. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  ).toString();
  return `${settings.base}${path === '/' ? '' : path}${search === '' ? '' : `?${search}`}` || '/';
}

let isLeaving = false;

/**
 * Hides the page, which the caller then leaves for good, such as after signing out. Nothing of the person may stay on it: no form that
 * was not saved may keep it open, and the browser must not show it again when somebody goes back.
 */
export function hidePage(): void {
  isLeaving = true;
  document.documentElement.hidden = true;
  window.addEventListener('pageshow', () => window.location.reload());
}

/** Asks whether the screen may be left, such as when a form was changed and not saved. */
type LeaveGuard = () => Promise<boolean> | boolean;

export class Router<Screen> {
  #routes: readonly Route<Screen>[] = [];
  readonly #show: (screen: Screen | undefined, location: Location) => void;
  #guard: LeaveGuard | undefined;
  #shown = window.location.href;

  constructor(show: (screen: Screen | undefined, location: Location) => void) {
    this.#show = show;
  }

  start(routes: readonly Route<Screen>[]): void {
    this.#routes = routes;
    window.addEventListener('popstate', () => void this.#onBack());
    document.addEventListener('click', (event) => this.#onClick(event));
    window.addEventListener('beforeunload', (event) => {
      if (this.#guard && !isLeaving) event.preventDefault();
    });
    this.#showCurrent();
  }

  /** The guard of the current screen; it ends with it. */
  guard(guard: LeaveGuard | undefined): void {
    this.#guard = guard;
  }

  async go(href: string, { replace = false } = {}): Promise<void> {
    if (!(await this.#mayLeave())) return;
    window.history[replace ? 'replaceState' : 'pushState'](null, '', href);
    this.#showCurrent();
  }

  /** Changes the query of the current screen, which shows itself again. */
  query(changes: Readonly<Record<string, string | undefined>>, options?: { replace?: boolean }): Promise<void> {
    const url = new URL(window.location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return this.go(url.pathname + url.search, options);
  }

  async #mayLeave(): Promise<boolean> {
    if (this.#guard && !(await this.#guard())) return false;
    this.#guard = undefined;
    return true;
  }

  async #onBack(): Promise<void> {
    const wanted = window.location.href;
    if (this.#guard) {
      // The browser has moved already. It is put back while the person is asked.
      window.history.pushState(null, '', this.#shown);
      if (!(await this.#mayLeave())) return;
      window.history.replaceState(null, '', wanted);
    }
    this.#showCurrent();
  }

  #onClick(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
    if (link?.target !== '' || link.hasAttribute('download') || link.origin !== window.location.origin) return;
    if (link.hash !== '' && link.pathname === window.location.pathname) return;
    if (!this.#isOurs(link.pathname)) return;
    event.preventDefault();
    void this.go(link.pathname + link.search);
  }

  #isOurs(pathname: string): boolean {
    return (
      (pathname === settings.base || pathname.startsWith(`${settings.base}/`)) && this.#find(this.#pathOf(pathname)) !== undefined
    );
  }

  #pathOf(pathname: string): string {
    const path = pathname.slice(settings.base.length).replace(/\/+$/, '');
    return path === '' ? '/' : path;
  }

  #find(path: string): { screen: Screen; params: Record<string, string> } | undefined {
    for (const { path: pattern, screen } of this.#routes) {
      const params = matchOf(pattern, path);
      if (params) return { screen, params };
    }
    return undefined;
  }

  #showCurrent(): void {
    this.#shown = window.location.href;
    const path = this.#pathOf(window.location.pathname);
    const found = this.#find(path);
    this.#show(found?.screen, { path, params: found?.params ?? {}, query: new URLSearchParams(window.location.search) });
  }
}
