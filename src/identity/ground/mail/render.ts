// Fills a template with values. Values are escaped in HTML, cannot add lines or headers, and do not become links in mail programs.
import type { ValueKind } from './letters.ts';

export interface TemplateText {
  readonly subject: string;
  readonly text: string;
  /** The content of the layout. */
  readonly html: string;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export const PLACEHOLDER = /\{\{\s*([\w-]*)\s*\}\}/g;
const MAX_LETTERS = 100;
/** For what an administrator writes to one person. */
const MAX_SENTENCE = 500;
const DAY = 86_400;
const HOUR = 3_600;
const MINUTE = 60;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);

/**
 * People could choose a name that is a message to somebody else, such as an advertisement with a link. So a value is one short line
 * without invisible characters, and dots, colons and slashes of URLs are replaced by similar characters that mail programs do not
 * turn into links.
 */
export function cleanText(value: string, maxLetters = MAX_LETTERS): string {
  const line = value
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...line];
  const short = letters.length > maxLetters ? `${letters.slice(0, maxLetters).join('')}…` : line;
  return short
    .replace(/(?<=\S)\.(?=\S)/g, '\u2024')
    .replace(/:(?=\/)/g, '\u2236')
    .replace(/\/\//g, '\u2215\u2215');
}

/** Other schemes, such as javascript, would be a programming error. */
function checkUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('a link in a mail must be an http or https address');
  return url.href;
}

function formatTime(milliseconds: number, language: string): string {
  const dateFormat = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${dateFormat.format(milliseconds)} UTC`;
}

function formatDuration(seconds: number, language: string): string {
  const [unit, size] =
    seconds >= 2 * DAY ? (['day', DAY] as const) : seconds >= HOUR ? (['hour', HOUR] as const) : (['minute', MINUTE] as const);
  // Rounded down, so that a mail never promises too much.
  const count = Math.max(1, Math.floor(seconds / size));
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

function format(kind: ValueKind, value: string | number, language: string): string {
  switch (kind) {
    case 'text':
      return cleanText(String(value));
    case 'sentence':
      return cleanText(String(value), MAX_SENTENCE);
    case 'url':
      return checkUrl(String(value));
    case 'time':
      return formatTime(Number(value), language);
    case 'duration':
      return formatDuration(Number(value), language);
  }
}

/** What mails share with pages. */
export interface MailLook {
  readonly color?: string | undefined;
  readonly ink?: string | undefined;
  /** The whole address of the logo. */
  readonly logo?: string | undefined;
}

/** What a domain has of its own, and the service for the rest. */
export interface DomainMailLook extends MailLook {
  readonly name: string | undefined;
  readonly language: string | undefined;
}

export interface RenderInput {
  readonly look?: MailLook | undefined;
  readonly template: TemplateText;
  readonly layout: string;
  readonly language: string;
  readonly kinds: Readonly<Record<string, ValueKind>>;
  readonly values: Readonly<Record<string, string | number>>;
}

export function render({ template, layout, look = {}, language, kinds, values }: RenderInput): MailText {
  const texts = new Map<string, string>();
  for (const [name, kind] of Object.entries(kinds)) {
    const value = values[name];
    if (value === undefined) throw new Error(`a mail needs the value ${name}`);
    texts.set(name, format(kind, value, language));
  }
  // One pass over the template, so that placeholders in a value are not replaced.
  const fill = (text: string, written: (value: string) => string): string =>
    text.replace(PLACEHOLDER, (_, name: string) => written(texts.get(name) ?? ''));
  const same = (value: string): string => value;
  const subject = fill(template.subject, same);
  const content = fill(template.html, escapeHtml);
  const outer: Readonly<Record<string, string>> = {
    content,
    subject: escapeHtml(subject),
    language: escapeHtml(language),
    service: escapeHtml(texts.get('service') ?? ''),
    color: look.color ?? '#1f4e8c',
    ink: look.ink ?? '#fff',
    logo: look.logo === undefined ? '' : `<p><img src="${escapeHtml(checkUrl(look.logo))}" alt="" height="40"></p>`,
  };
  return {
    subject,
    text: fill(template.text, same),
    html: layout.replace(PLACEHOLDER, (_, name: string) => outer[name] ?? ''),
  };
}
