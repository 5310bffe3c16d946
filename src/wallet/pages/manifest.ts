// What a phone needs to install the pages (W3C Web Application Manifest). The same for everybody: it is about no person.

export const MANIFEST = '/manifest.webmanifest';
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];
export const NAMES: Readonly<Record<Language, string>> = { en: 'Gatehouse Wallet', es: 'Cartera Gatehouse' };

/** As the top bar (`--paper` in console/shared/style.css). */
export const THEME_COLORS = { light: '#ffffff', dark: '#1a222c' };

const TEXTS: Readonly<Record<Language, { short: string; description: string; open: string; history: string }>> = {
  en: {
    short: 'Wallet',
    description: 'Receives credentials, and shows of them what you agree to.',
    open: 'Receive or share',
    history: 'History',
  },
  es: {
    short: 'Cartera',
    description: 'Recibe credenciales y muestra de ellas lo que usted acepte.',
    open: 'Recibir o compartir',
    history: 'Historial',
  },
};

/** Browsers let pages have schemes only if they begin with `web+`. */
export const SCHEMES = ['web+openidcredentialoffer', 'web+openidvp'];

/** `root`: below it are the files of the pages. */
export function walletManifest(language: Language, root: string): object {
  const { short, description, open, history } = TEXTS[language];
  const icon = (name: string, size: number, purpose: 'any' | 'maskable') => ({
    src: `${root}wallet/icons/${name}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: '/',
    name: NAMES[language],
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
