// The pages of the wallet: one document for all screens, and its files (console/wallet). They hold nothing about anybody: what they
// show they ask of the public API, with the cookie of the session.
import { fileURLToPath } from 'node:url';
import type { Mount, RawExchange } from '../../platform/http/index.ts';
import { createPageFiles, type PageDocument, type PageFiles, pageDocument, sendPageFile } from '../../platform/pages/index.ts';
import { version } from '../../version.ts';
import { fail } from '../ground/faults.ts';

const SOURCES = fileURLToPath(new URL('../../../console', import.meta.url));
const FILES = '/pages/';
const LANGUAGES = ['en', 'es'] as const;
type Language = (typeof LANGUAGES)[number];
const NAMES: Readonly<Record<Language, string>> = { en: 'Gatehouse Wallet', es: 'Cartera Gatehouse' };

/** Every screen but the first, whose address is that of the service's own description. */
const SCREENS = ['/open', '/credentials', '/receive', '/share', '/history', '/keys', '/identifiers', '/node'];

const WITHOUT_SCRIPTS: Readonly<Record<Language, string>> = {
  en: 'This page needs JavaScript. The API of the wallet works without it: /api/v1/wallet.',
  es: 'Esta página necesita JavaScript. La API de la cartera funciona sin él: /api/v1/wallet.',
};

/** The first language of the browser that there are texts for. */
export function languageOf(accepted: string | undefined): Language {
  const wanted = (accepted ?? '')
    .split(',')
    .slice(0, 20)
    .map((one) => {
      const [tag = '', ...parameters] = one.trim().split(';');
      const quality = parameters.map((text) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(text)?.[1]).find(Boolean);
      return { tag: tag.toLowerCase().split('-', 1)[0]!, quality: Number(quality ?? 1) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality);
  return wanted.flatMap(({ tag }) => LANGUAGES.find((language) => language === tag) ?? [])[0] ?? 'en';
}

/** Whether the client is a browser that opens a page, and not a program that wants JSON. */
export const wantsPage = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((one) => one.trim().startsWith('text/html'));

export function createWalletPages({ sessionIdleSeconds }: { readonly sessionIdleSeconds: number }) {
  let read: PageFiles | undefined;
  const files = (): PageFiles => {
    read ??= createPageFiles({ folder: SOURCES, subfolders: ['shared', 'wallet'], path: FILES, libraries: ['qr'] });
    return read;
  };

  function documentFor(acceptedLanguages: string | undefined): PageDocument {
    const language = languageOf(acceptedLanguages);
    const { root } = files();
    return pageDocument({
      files: files(),
      entry: 'wallet/main.ts',
      preload: ['wallet/frame.ts', 'wallet/screens.ts', `wallet/words/${language}/index.ts`, `shared/words/${language}.ts`],
      language,
      title: NAMES[language],
      icon: `${root}wallet/icon.svg`,
      styles: [`${root}wallet/wallet.css`],
      settings: { base: '', brand: { name: NAMES[language], logo: null }, language, version, idleSeconds: sessionIdleSeconds },
      withoutScripts: WITHOUT_SCRIPTS[language],
    });
  }

  function sendDocument({ request, response }: RawExchange): void {
    const { text, headers } = documentFor(request.headers['accept-language']);
    response.writeHead(200, { ...headers, Vary: 'Accept, Accept-Language', 'Content-Length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  const mount: Mount = {
    paths: [...SCREENS.flatMap((path) => [path, `${path}/*`]), `${FILES}*`],
    async handle(exchange) {
      const { request, response } = exchange;
      if (request.method !== 'GET' && request.method !== 'HEAD')
        fail('route.method_not_allowed', undefined, { headers: { Allow: 'GET, HEAD' } });
      const path = (request.url ?? '').split('?', 1)[0]!;
      if (!path.startsWith(FILES)) return sendDocument(exchange);
      await sendPageFile(request, response, files().at(path) ?? fail('route.not_found'));
    },
  };
  return { mount, documentFor, wantsPage };
}

export type WalletPages = ReturnType<typeof createWalletPages>;
