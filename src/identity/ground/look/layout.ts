// The layout of all pages.
import { LANGUAGE_TABLE } from '../../../platform/languages/index.ts';
import { Html, html } from './html.ts';
import type { BrandLink, PageLook } from './look.ts';
import type { PageScript } from './scripts.ts';
import type { PageWords } from './words/index.ts';

/** No scripts, no content of other sites, no frames. Forms may redirect to the application. */
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

/** For pages with a script: those of our own. */
export const SCRIPT_PAGE_POLICY = `${PAGE_HEADERS['Content-Security-Policy']}; script-src 'self'`;

const scriptTag = (path: string): string => `<script type="module" src="${path}"></script>`;
/** Only `page` can write this tag: what people enter is escaped. */
export const hasScript = (text: string): boolean => text.includes('<script ');

/**
 * For pages of the library: a form that submits itself by a script. The library adds the hash of the script to `script-src`.
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

/** Where browsers send the language that a person chose. */
export const LANGUAGE_PATH = '/openid/language';

/** A way to the account, and to the other languages. */
function footer({ words, brand }: PageLook, once: boolean): Html {
  const links = (Object.keys(words.footerLinks) as BrandLink[]).map((name) => {
    const href = brand.links[name];
    return href !== undefined && html`<a href="${href}" target="_blank" rel="noopener">${words.footerLinks[name]}</a>`;
  });
  const account = html`<a href="/account">${words.accountLink}</a>${links}`;
  if (once) return html`<footer>${account}</footer>`;
  const others = Object.entries(LANGUAGE_TABLE).filter(([tag]) => tag !== words.language);
  return html`<footer>${account}
<form method="post" action="${LANGUAGE_PATH}" aria-label="${words.languageLabel}">${others.map(
    ([tag, { name }]) => html`<button type="submit" class="plain" name="language" value="${tag}" lang="${tag}">${name}</button>`,
  )}</form></footer>`;
}

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** The path of the logo of the application that the title names. */
  readonly logo?: string | undefined;
  readonly wide?: boolean;
  /** Beside the one for passwords, which every page has that lets people choose one. */
  readonly script?: PageScript | undefined;
  /** The answer to a form, shown once: in another language it would be lost. */
  readonly once?: boolean;
}

const SHOW_PASSWORDS = 'data-show-passwords>';

/** For a form in which people choose a password: a box that shows what they type. It is there when its script is. */
export const showPasswords = (words: PageWords): Html =>
  html`<label class="check" hidden><input type="checkbox" ${new Html(SHOW_PASSWORDS)} ${words.showPasswords}</label>`;

const scriptsOf = (body: Html, script: PageScript | undefined): PageScript[] => [
  ...(script ? [script] : []),
  // What people enter is escaped: only we can write the end of a tag.
  ...(body.text.includes(SHOW_PASSWORDS) ? (['passwords'] as const) : []),
];

export const page = (look: PageLook, { title, body, logo, wide, script, once = false }: PageContent): string => {
  const { words, brand } = look;
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${brand.name}</title>
<link rel="icon" href="${brand.icon}">
<link rel="stylesheet" href="${brand.style}">
${scriptsOf(body, script).map((name) => new Html(scriptTag(brand.scripts[name])))}
</head>
<body>
<header>${brand.logo ? html`<img src="${brand.logo}" alt="">` : GATE}<span>${brand.name}</span></header>
<main${wide ? new Html(' class="wide"') : ''}>
<h1>${logo !== undefined && html`<img src="${logo}" alt="">`}${title}</h1>
${body}
</main>
${footer(look, once)}
</body>
</html>
`.text;
};

/** Screen readers announce it when the page loads. */
export const errorMessage = (text: string | undefined): Html => (text ? html`<p class="bad" role="alert">${text}</p>` : html``);
export const successMessage = (text: string | undefined): Html =>
  text ? html`<p class="good" role="status">${text}</p>` : html``;

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
  /** It was wrong; the element `problem` says why. */
  readonly invalid?: boolean;
}

/** Why a form was refused, and which of its fields that is about. */
export interface WrongForm {
  readonly message: string;
  readonly field?: string | undefined;
}

/** Screen readers announce it when the page loads. */
export const problem = (text: string): Html => html`<p class="bad" role="alert" ${new Html(PROBLEM)}>${text}</p>`;
export const PROBLEM = 'id="problem"';

/** A field that says so when it was wrong, and gets the focus then. */
export function checkedField(wrong: WrongForm | undefined, about: Field): Html {
  const invalid = wrong !== undefined && wrong.field === about.name;
  const shown = field({ ...about, invalid, focus: invalid || (about.focus === true && wrong?.field === undefined) });
  return invalid ? html`${shown}${problem(wrong.message)}` : shown;
}

/** Above a form with these fields: what is about none of them. */
export const formMessage = (wrong: WrongForm | undefined, fields: readonly string[]): Html =>
  errorMessage(wrong?.field !== undefined && fields.includes(wrong.field) ? undefined : wrong?.message);

export const field = ({ name, label, type = 'text', value, complete, focus, optional, code, invalid }: Field): Html =>
  html`<label for="${name}">${label}</label>
<input type="${type}" id="${name}" name="${name}" autocomplete="${complete}"${new Html(
    [
      focus ? ' autofocus' : '',
      optional ? '' : ' required',
      invalid ? ' aria-invalid="true" aria-describedby="problem"' : '',
      code ? ` class="code" inputmode="${code}"` : '',
      type === 'text' ? ' autocapitalize="none" spellcheck="false"' : '',
    ].join(''),
  )}${value === undefined ? '' : html` value="${value}"`}>`;
