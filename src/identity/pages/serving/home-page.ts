// `/` in a browser: the way to the account, to the console, and to the wallet node that runs with the service.
import type { IncomingHttpHeaders } from 'node:http';
import { type Brand, html, lookOf, PAGE_HEADERS, page } from '../../ground/look/index.ts';

/** Browsers name XHTML when they open a page. Programs do not, not even those that accept HTML. */
const isBrowser = ({ accept }: IncomingHttpHeaders): boolean => /\bapplication\/xhtml\+xml\b/i.test(accept ?? '');

/** Undefined for programs. */
export function homePage(
  headers: IncomingHttpHeaders,
  brand: Brand,
  wallet: string | undefined,
): { text: string; headers: Record<string, string> } | undefined {
  if (!isBrowser(headers)) return undefined;
  const look = lookOf({ headers }, brand);
  const { words } = look;
  const link = (href: string, name: string, text: string) =>
    html`<section><h2><a href="${href}">${name}</a></h2><p>${text}</p></section>`;
  const links = [
    link('/account', words.accountLink, words.homeAccount),
    link('/console', words.homeConsoleLink, words.homeConsole),
    ...(wallet === undefined ? [] : [link(`${wallet}/`, words.homeWalletLink, words.homeWallet)]),
    link('/guide', words.homeGuideLink, words.homeGuide),
    link('/openapi', words.homeApiLink, words.homeApi),
  ];
  // Between the page and the document for programs, caches must not choose.
  return {
    text: page(look, { title: words.homeTitle, body: html`${links}` }),
    headers: { ...PAGE_HEADERS, Vary: 'Accept, X-Auth-Token' },
  };
}
