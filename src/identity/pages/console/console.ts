// /console: the pages for administrators and owners of applications. The server gives out one document, its files, and a token for the
// person who is signed in; everything else the page asks of the public API.
import { fileURLToPath } from 'node:url';
import { createPageFiles, type PageFiles, pageDocument, sendPageFile } from '../../../platform/pages/index.ts';
import { version } from '../../../version.ts';
import { fail } from '../../ground/faults.ts';
import { type BrowserRequest, redirect, sendPage } from '../../ground/look/index.ts';
import { CONSOLE, CONSOLE_FILES, CONSOLE_SESSION, CONSOLE_SIGNED_IN } from '../../openid/paths/index.ts';
import type { ProviderWithKeys } from '../../openid/provider/index.ts';
import { findSignedInPerson, readerOf, redirectToSignIn } from '../account/index.ts';
import { notSignedInPage } from '../sign-in/index.ts';
import { type ConsoleSessionDeps, endSession, issueToken } from './session.ts';

export interface ConsoleDeps extends ConsoleSessionDeps {
  issuer(): string;
}

const SOURCES = fileURLToPath(new URL('../../../../console', import.meta.url));
const SCREEN = /^\/console(?:\/[\w.~%@:+-]+)*(?:\?[\w.~%&=+@:,*-]*)?$/;

/** A screen of the console with its query, as it was asked for. No other address is returned to after a sign-in. */
function screenOf(asked: string, issuer: string): string {
  const url = SCREEN.test(asked) ? URL.parse(asked, issuer) : null;
  // Dots in a path may lead out of it, also as %2e.
  return url && url.pathname + url.search === asked ? asked : CONSOLE;
}

function showDocument(files: PageFiles, issuer: string, browser: BrowserRequest, look: BrowserRequest['look']): void {
  const { brand, words } = look;
  const { text, headers } = pageDocument({
    files,
    entry: 'identity/main.ts',
    preload: ['identity/frame.ts', 'identity/screens.ts'],
    language: words.language,
    words: (language) => [`identity/words/${language}/index.ts`, `shared/words/${language}.ts`],
    title: brand.name,
    icon: brand.icon,
    styles: brand.colors === undefined ? [] : [brand.colors],
    settings: {
      base: CONSOLE,
      brand: { name: brand.name, logo: brand.logo ?? null },
      language: words.language,
      version,
      issuer,
    },
    hasFrames: true,
    withoutScripts: words.needsScripts,
  });
  const { request, response } = browser.exchange;
  response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

export function createConsoleHandler(deps: ConsoleDeps) {
  let read: PageFiles | undefined;
  const files = (): PageFiles => {
    read ??= createPageFiles({ folder: SOURCES, subfolders: ['shared', 'identity'], path: CONSOLE_FILES });
    return read;
  };

  return async function serve(browser: BrowserRequest, current: () => Promise<ProviderWithKeys>): Promise<void> {
    const { request, response } = browser.exchange;
    if (browser.path.startsWith(CONSOLE_FILES))
      return sendPageFile(request, response, files().at(browser.path) ?? fail('route.not_found'));
    const { provider, keys } = await current();
    if (browser.path === CONSOLE_SESSION)
      return (browser.method === 'POST' ? issueToken : endSession)(deps, provider, browser, keys.cookies);
    const url = new URL(request.url ?? CONSOLE, deps.issuer());
    const person = await findSignedInPerson(deps, provider, browser, keys.cookies);
    if (browser.path === CONSOLE_SIGNED_IN) {
      const asked = screenOf(url.searchParams.get('state') ?? CONSOLE, deps.issuer());
      // Whoever left the sign-in is not sent there again: that would be without end.
      if (!person && url.searchParams.has('error')) return sendPage(browser, notSignedInPage(browser.look, asked));
      return redirect(browser, asked);
    }
    const again = url.searchParams.has('sign-in');
    url.searchParams.delete('sign-in');
    const screen = url.pathname + url.search;
    const state = screenOf(screen, deps.issuer());
    if (!person || again)
      return redirectToSignIn(deps.issuer(), browser, CONSOLE_SIGNED_IN, { state, ...(again ? { prompt: 'login' } : {}) });
    showDocument(files(), deps.issuer(), browser, browser.look.for(readerOf(person.user)));
  };
}

export type ConsoleHandler = ReturnType<typeof createConsoleHandler>;
