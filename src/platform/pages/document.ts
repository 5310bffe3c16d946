// The HTML document that loads a page of console/. All texts and data come later, from modules and the API.
import { createHash } from 'node:crypto';
import { DEFAULT_LANGUAGE, LANGUAGE_TABLE, type Language } from '../languages/index.ts';
import type { PageFiles } from './files.ts';

/** What a device shows of a page that is installed. */
export interface InstallOptions {
  readonly manifest: string;
  /** A picture for devices that take none from the manifest. */
  readonly touchIcon: string;
  /** Of what the device draws around the page. */
  readonly themeColors: { readonly light: string; readonly dark: string };
}

export interface PageDocumentOptions {
  readonly files: PageFiles;
  /** The module that shows the page, as its name within the files. */
  readonly entry: string;
  /** Further modules that the first view needs and the entry loads by itself. */
  readonly preload?: readonly string[];
  readonly language: Language;
  /** The modules that have the texts in a language. */
  readonly words?: (language: Language) => readonly string[];
  readonly title: string;
  readonly icon: string;
  /** Paths of further style sheets, such as the colours of an organization. */
  readonly styles?: readonly string[];
  /** What the module must know before its first request. Public: it is part of the document. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** For pages that people can install on a device. */
  readonly install?: InstallOptions;
  /** Whether this page may use the camera. */
  readonly usesCamera?: boolean;
  /** Whether this page shows other pages of the service in frames. */
  readonly hasFrames?: boolean;
  /** The text for browsers that do not run scripts. */
  readonly withoutScripts: string;
}

export interface PageDocument {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Scripts only from files, requests and frames only to us; texts become HTML in one place only, the renderer of Lit. */
const policyOf = (importMap: string, hasFrames: boolean): string => {
  const hash = createHash('sha256').update(importMap).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    ...(hasFrames ? ["frame-src 'self'"] : []),
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');
};

function installLines({ manifest, touchIcon, themeColors }: InstallOptions): string[] {
  return [
    `<link rel="manifest" href="${escapeHtml(manifest)}">`,
    `<link rel="apple-touch-icon" href="${escapeHtml(touchIcon)}">`,
    ...(['light', 'dark'] as const).map(
      (scheme) => `<meta name="theme-color" content="${themeColors[scheme]}" media="(prefers-color-scheme: ${scheme})">`,
    ),
  ];
}

/** With the English ones if they may lack some: the page loads both then. */
const wordModules = (language: Language, words: (language: Language) => readonly string[]): string[] =>
  [language, ...(LANGUAGE_TABLE[language].isComplete ? [] : [DEFAULT_LANGUAGE])].flatMap(words);

export function pageDocument(options: PageDocumentOptions): PageDocument {
  const {
    files,
    entry,
    preload = [],
    language,
    words = () => [],
    title,
    icon,
    styles = [],
    settings,
    install,
    withoutScripts,
  } = options;
  const modules = [...new Set([entry, ...preload, ...wordModules(language, words)].flatMap((name) => files.modulesOf(name)))];
  const sheets = [`${files.root}shared/style.css`, ...styles];
  const lines = [
    '<!doctype html>',
    `<html lang="${escapeHtml(language)}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    `<meta name="settings" content="${escapeHtml(JSON.stringify(settings))}">`,
    `<title>${escapeHtml(title)}</title>`,
    `<link rel="icon" href="${escapeHtml(icon)}">`,
    ...(install ? installLines(install) : []),
    ...sheets.map((path) => `<link rel="stylesheet" href="${escapeHtml(path)}">`),
    `<script type="importmap">${files.importMap}</script>`,
    ...modules.map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="module" src="${files.root}${entry}"></script>`,
    '</head>',
    `<body><noscript><p>${escapeHtml(withoutScripts)}</p></noscript></body>`,
    '</html>',
    '',
  ];
  return {
    text: lines.join('\n'),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(files.importMap, options.hasFrames ?? false),
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': `camera=(${options.usesCamera ? 'self' : ''}), geolocation=(), microphone=()`,
      'Cache-Control': 'no-store',
    },
  };
}
