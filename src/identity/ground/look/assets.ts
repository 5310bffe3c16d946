// The files that pages refer to: style, scripts, icon and logo. Their paths change with their content, so browsers can keep them.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '../../../platform/config/index.ts';
import { type IdentityConfig, madeFrom } from '../settings/index.ts';
import { brandColors, inkAndColor } from './brand-colors.ts';
import type { BrandPicture } from './brand-pictures.store.ts';
import type { Brand } from './look.ts';
import { type PageScript, scripts } from './scripts.ts';
import { style } from './style.ts';

/** For browsers that ask for it on their own. */
export const FAVICON = '/favicon.ico';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface BrandSettings
  extends Pick<
    IdentityConfig,
    'brandName' | 'brandColor' | 'brandLogo' | 'pageLanguage' | 'helpUrl' | 'termsUrl' | 'privacyUrl'
  > {
  /** Those that administrators have stored. */
  readonly pictures: Readonly<Partial<Record<BrandPicture, Asset>>>;
}
const NAMES = [
  'brandName',
  'brandColor',
  'pageLanguage',
  'helpUrl',
  'termsUrl',
  'privacyUrl',
  'pictures',
] as const satisfies (keyof BrandSettings)[];

/** The logo at an address that stays, for mails. */
export const LOGO_NOW = '/openid/assets/logo';
const STABLE: readonly string[] = [FAVICON, LOGO_NOW];

const GATE = 'M3 21V8l3-3 3 3v2h6V8l3-3 3 3v13h-6v-5a3 3 0 0 0-6 0v5z';
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:#1d4ed8}@media(prefers-color-scheme:dark){path{fill:#8ab0ff}}</style><path d="${GATE}"/></svg>`;

const MAX_LOGO = 256 * 1024;

/** The type of a picture, by its first bytes. */
function pictureType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png';
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg';
  if (bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP')
    return 'image/webp';
  return /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(
    bytes.toString('utf8', 0, 4096),
  )
    ? 'image/svg+xml'
    : undefined;
}

function readLogo(path: string): Asset {
  const name = 'GATEHOUSE_IDENTITY_BRAND_LOGO';
  let bytes: Buffer;
  try {
    if (statSync(path).size > MAX_LOGO) throw new ConfigError(`${name}: ${path} is larger than ${MAX_LOGO / 1024} KiB`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${name}: cannot read ${path}: ${(error as Error).message}`);
  }
  const type = pictureType(bytes);
  if (!type) throw new ConfigError(`${name}: ${path} is not a PNG, JPEG, WebP or SVG picture`);
  return { type, bytes };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/css': 'css',
  'text/javascript': 'js',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

function pathOf(name: string, { type, bytes }: Asset): string {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return `/openid/assets/${name}-${hash}.${EXTENSIONS[type]}`;
}

/** What a domain has for itself, or as the service has it. */
export interface DomainLook extends Pick<Brand, 'name' | 'links' | 'language'> {
  readonly color: string | undefined;
  /** Paths. Undefined: that of the service. */
  readonly logo: string | undefined;
  readonly icon: string | undefined;
}

export interface Assets {
  readonly brand: Brand;
  /** For pages about a domain, or for its people. */
  brandOf(domain: DomainLook): Brand;
  /** The file at a path. */
  at(path: string): Asset | undefined;
}

/** The style of a domain: every replica can make it from its path. */
const COLORED_STYLE = /^\/openid\/assets\/style-([\da-f]{16})-([\da-f]{6})\.css$/;

const logoOfOperator = ({ brandLogo }: Pick<BrandSettings, 'brandLogo'>): Asset | undefined =>
  brandLogo === undefined ? undefined : readLogo(brandLogo);

export function createAssets(settings: BrandSettings, ofOperator = logoOfOperator(settings)): Assets {
  const { brandName, brandColor, pageLanguage, helpUrl, termsUrl, privacyUrl, pictures } = settings;
  const colors = brandColor === undefined ? '' : brandColors(brandColor);
  const files = new Map<string, Asset>();
  const add = (name: string, asset: Asset): string => {
    const path = pathOf(name, asset);
    files.set(path, asset);
    return path;
  };
  const addScript = (name: PageScript): string => add(name, { type: 'text/javascript', bytes: scripts[name] });
  const logo = ofOperator ?? pictures.logo;
  const icon = ofOperator ?? pictures.favicon ?? logo ?? { type: 'image/svg+xml', bytes: Buffer.from(ICON) };
  files.set(FAVICON, icon);
  if (logo) files.set(LOGO_NOW, logo);
  const brand: Brand = {
    name: brandName,
    style: add('style', { type: 'text/css', bytes: Buffer.from(style + colors) }),
    scripts: {
      passkeys: addScript('passkeys'),
      passwords: addScript('passwords'),
      'signed-out': addScript('signed-out'),
      submit: addScript('submit'),
    },
    icon: add('icon', icon),
    colors: colors === '' ? undefined : add('colors', { type: 'text/css', bytes: Buffer.from(colors) }),
    logo: logo && add('logo', logo),
    accent: brandColor === undefined ? undefined : inkAndColor(brandColor),
    links: { help: helpUrl, terms: termsUrl, privacy: privacyUrl },
    language: pageLanguage,
  };
  return {
    brand,
    brandOf: ({ color, logo: ownLogo, icon: ownIcon, ...texts }) => ({
      ...brand,
      ...texts,
      ...(color === undefined || color === brandColor ? {} : { style: pathOfColored(color), accent: inkAndColor(color) }),
      ...(ownLogo === undefined ? {} : { logo: ownLogo, icon: ownLogo }),
      ...(ownIcon === undefined ? {} : { icon: ownIcon }),
    }),
    at: (path) => files.get(path) ?? coloredAt(path),
  };
}

const PLAIN = createHash('sha256').update(style).digest('hex').slice(0, 16);
const pathOfColored = (color: string): string => `/openid/assets/style-${PLAIN}-${color.slice(1).toLowerCase()}.css`;

function coloredAt(path: string): Asset | undefined {
  const [, plain, color] = COLORED_STYLE.exec(path) ?? [];
  if (plain !== PLAIN) return undefined;
  return { type: 'text/css', bytes: Buffer.from(style + brandColors(`#${color}`)) };
}

/** Those of the settings as they are now. A page that was sent before a change still finds what it names. */
export function createCurrentAssets(config: Omit<BrandSettings, 'pictures'>, pictures: () => BrandSettings['pictures']): Assets {
  const settings: BrandSettings = Object.create(config, { pictures: { get: pictures } });
  // Read once: without the file, no page could be shown after a change.
  const ofOperator = logoOfOperator(config);
  const current = madeFrom(settings, NAMES, (before?: { readonly now: Assets }) => ({
    now: createAssets(settings, ofOperator),
    before: before?.now,
  }));
  return {
    get brand() {
      return current().now.brand;
    },
    brandOf: (domain) => current().now.brandOf(domain),
    at: (path) => current().now.at(path) ?? (STABLE.includes(path) ? undefined : current().before?.at(path)),
  };
}

/** An SVG may hold scripts: it must not run them when somebody opens it on its own. */
export const assetHeaders = (path: string, { type, bytes }: Asset): Record<string, string | number> => ({
  'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
  'Content-Length': bytes.byteLength,
  'Cache-Control': STABLE.includes(path) ? 'public, max-age=3600' : 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
});
