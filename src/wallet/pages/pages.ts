// The pages of the wallet: one document for all screens, and its files (console/wallet). They hold nothing about anybody: what they
// show they ask of the public API, with the cookie of the session.
import { fileURLToPath } from 'node:url';
import type { Mount, RawExchange } from '../../platform/http/index.ts';
import { languageOf } from '../../platform/languages/index.ts';
import { createPageFiles, type PageDocument, type PageFiles, pageDocument, sendPageFile } from '../../platform/pages/index.ts';
import { version } from '../../version.ts';
import { fail } from '../ground/faults.ts';
import { MANIFEST, THEME_COLORS, walletManifest } from './manifest.ts';
import { WORDS } from './words.ts';

const SOURCES = fileURLToPath(new URL('../../../console', import.meta.url));
const FILES = '/pages/';

/** Every screen but the first, whose address is that of the service's own description. */
const SCREENS = ['/open', '/credentials', '/receive', '/share', '/history', '/keys', '/identifiers', '/node'];
/** The only one that reads codes with the camera. */
const CAMERA = '/receive';

/** Whether the client is a browser that opens a page, and not a program that wants JSON. */
export const wantsPage = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((one) => one.trim().startsWith('text/html'));

export function createWalletPages({ sessionIdleSeconds }: { readonly sessionIdleSeconds: number }) {
  let read: PageFiles | undefined;
  const files = (): PageFiles => {
    read ??= createPageFiles({ folder: SOURCES, subfolders: ['shared', 'wallet'], path: FILES, libraries: ['qr'] });
    return read;
  };

  function documentFor(acceptedLanguages: string | undefined, path = '/'): PageDocument {
    const language = languageOf(acceptedLanguages);
    const { name, withoutScripts } = WORDS[language];
    const { root } = files();
    return pageDocument({
      files: files(),
      entry: 'wallet/main.ts',
      preload: ['wallet/frame.ts', 'wallet/screens.ts'],
      language,
      words: (one) => [`wallet/words/${one}/index.ts`, `shared/words/${one}.ts`],
      title: name,
      icon: `${root}wallet/icon.svg`,
      styles: [`${root}wallet/wallet.css`],
      settings: { base: '', brand: { name, logo: null }, language, version, idleSeconds: sessionIdleSeconds },
      install: { manifest: MANIFEST, touchIcon: `${root}wallet/icons/touch-180.png`, themeColors: THEME_COLORS },
      usesCamera: path === CAMERA,
      withoutScripts,
    });
  }

  function sendManifest({ request, response }: RawExchange): void {
    const text = JSON.stringify(walletManifest(languageOf(request.headers['accept-language']), files().root));
    response.writeHead(200, {
      'Content-Type': 'application/manifest+json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Language',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  function sendDocument({ request, response }: RawExchange, path: string): void {
    const { text, headers } = documentFor(request.headers['accept-language'], path);
    response.writeHead(200, { ...headers, Vary: 'Accept, Accept-Language', 'Content-Length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  const mount: Mount = {
    paths: [...SCREENS.flatMap((path) => [path, `${path}/*`]), MANIFEST, `${FILES}*`],
    async handle(exchange) {
      const { request, response } = exchange;
      if (request.method !== 'GET' && request.method !== 'HEAD')
        fail('route.method_not_allowed', undefined, { headers: { Allow: 'GET, HEAD' } });
      const path = (request.url ?? '').split('?', 1)[0]!;
      if (path === MANIFEST) return sendManifest(exchange);
      if (!path.startsWith(FILES)) return sendDocument(exchange, path);
      await sendPageFile(request, response, files().at(path) ?? fail('route.not_found'));
    },
  };
  return { mount, documentFor, wantsPage };
}

export type WalletPages = ReturnType<typeof createWalletPages>;
