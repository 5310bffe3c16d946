// What a phone needs to install the pages (W3C Web Application Manifest). The same for everybody: it is about no person.
import type { Language } from '../../platform/languages/index.ts';
import { WORDS } from './words.ts';

export const MANIFEST = '/manifest.webmanifest';

/** As the top bar (`--paper` in console/shared/style.css). */
export const THEME_COLORS = { light: '#ffffff', dark: '#1a222c' };

/** Browsers let pages have schemes only if they begin with `web+`. */
export const SCHEMES = ['web+openidcredentialoffer', 'web+openidvp'];

/** `root`: below it are the files of the pages. */
export function walletManifest(language: Language, root: string): object {
  const { name, short, description, open, history } = WORDS[language];
  const icon = (file: string, size: number, purpose: 'any' | 'maskable') => ({
    src: `${root}wallet/icons/${file}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: '/',
    name,
    short_name: short,
    description,
    lang: language,
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: THEME_COLORS.light,
    background_color: THEME_COLORS.light,
    icons: [icon('any-192', 192, 'any'), icon('any-512', 512, 'any'), icon('maskable-512', 512, 'maskable')],
    shortcuts: [
      { name: open, url: '/receive' },
      { name: history, url: '/history' },
    ],
    protocol_handlers: SCHEMES.map((protocol) => ({ protocol, url: '/open?uri=%s' })),
  };
}
