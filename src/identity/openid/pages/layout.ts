// What every page is wrapped in.
import { Html, html } from './html.ts';
import { STYLE_PATH } from './style.ts';
import type { Words } from './words.ts';

/** Nothing runs, nothing comes from elsewhere, nobody frames it. Forms may lead away: to the application that asked. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // Not "no-referrer": with that, browsers hide the origin of our own forms from us (Origin: null).
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

/**
 * For pages that the library makes by itself: a form that sends itself, by a script that the library adds to `script-src` by
 * its hash.
 */
export const LIBRARY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

const GATE = new Html(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 21V8l3-3 3 3v2h6V8l3-3 3 3v13h-6v-5a3 3 0 0 0-6 0v5z"/></svg>',
);

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly wide?: boolean;
}

export const page = (words: Words, { title, body, wide }: Page): string =>
  html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${words.product}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<header>${GATE}<span>${words.product}</span></header>
<main${wide ? new Html(' class="wide"') : ''}>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;

/** Said aloud by screen readers as soon as the page is there. */
export const trouble = (text: string | undefined): Html => (text ? html`<p class="bad" role="alert">${text}</p>` : html``);
export const success = (text: string | undefined): Html => (text ? html`<p class="good" role="status">${text}</p>` : html``);

export const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password';
  readonly value?: string | undefined;
  readonly complete: string;
  readonly focus?: boolean;
  readonly optional?: boolean;
  /** A short code of digits or letters. */
  readonly code?: 'numeric' | 'text';
}

export const field = ({ name, label, type = 'text', value, complete, focus, optional, code }: Field): Html =>
  html`<label for="${name}">${label}</label>
<input type="${type}" id="${name}" name="${name}" autocomplete="${complete}"${new Html(
    [
      focus ? ' autofocus' : '',
      optional ? '' : ' required',
      code ? ` class="code" inputmode="${code}"` : '',
      type === 'text' ? ' autocapitalize="none" spellcheck="false"' : '',
    ].join(''),
  )}${value === undefined ? '' : html` value="${value}"`}>`;
