// What the text of a mail may have that an administrator writes, and the HTML that is made of it. Such a text is plain: no markup. A link
// with a token must reach nobody but this service, so the placeholder stands alone, and other addresses are those of known hosts.
import { REQUIRED_VALUE, TEMPLATES, type TemplateName, type ValueKind } from './letters.ts';
import { escapeHtml, PLACEHOLDER, type TemplateText } from './render.ts';

export interface PlainText {
  readonly subject: string;
  readonly body: string;
}

export const MAX_SUBJECT = 200;
export const MAX_BODY = 10_000;

/** As it is compared and stored. */
export const tidyText = ({ subject, body }: PlainText): PlainText => ({
  subject: subject.trim(),
  body: `${body.replaceAll('\r\n', '\n').trim()}\n`,
});

const ANY_ADDRESS = /(?:[a-z][a-z\d+.-]*:\/\/|\bwww\.)\S*/gi;
/** Line breaks are for the text only; other control characters, and those that turn the direction of text, are for nobody. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u202a-\u202e\u2060-\u2069\ufeff]/u;

const listed = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');

/** Throws Refusal with a clause that says what is wrong. */
export class TextRefusal extends Error {}
function refuse(why: string): never {
  throw new TextRefusal(why);
}

function placeholdersIn(where: string, text: string, known: readonly string[]): string[] {
  const used = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
  const unknown = used.find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`${where} has {{${unknown}}}; it may use ${listed(known)}`);
  if (/\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''))) refuse(`${where} has {{ or }} without a value`);
  return used;
}

function checkSubject(subject: string, kinds: Readonly<Record<string, ValueKind>>): void {
  if (subject.trim() === '' || subject.length > MAX_SUBJECT) refuse(`the subject must have 1 to ${MAX_SUBJECT} characters`);
  if (HIDDEN.test(subject)) refuse('the subject must be one line, without invisible characters');
  // Subjects are shown on locked screens, and logged by mail servers.
  placeholdersIn(
    'the subject',
    subject,
    Object.keys(kinds).filter((name) => kinds[name] !== 'url'),
  );
  checkAddresses('the subject', subject, []);
}

function checkAddresses(where: string, text: string, hosts: readonly string[] | undefined): void {
  for (const [address] of text.matchAll(ANY_ADDRESS)) {
    if (address.includes('{{')) refuse(`${where} has a value in the address ${address}; a value must not be part of an address`);
    const url = URL.parse(address.replace(/[.,;:!?)\]]+$/, ''));
    const isKnown = url !== null && (hosts?.includes(url.host) ?? true);
    if (!isKnown || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      refuse(
        `${where} has the address ${address}; ${hosts?.length ? `it may have those of ${hosts.join(', ')}` : 'it must have none'}`,
      );
  }
}

/** Each address stands alone: what is before or after it could send it elsewhere. */
function checkUrlsStandAlone(body: string, kinds: Readonly<Record<string, ValueKind>>): void {
  for (const { 0: whole, 1: name, index } of body.matchAll(PLACEHOLDER)) {
    if (kinds[name!] !== 'url') continue;
    const [before, after] = [body.slice(0, index), body.slice(index + whole.length)];
    if (!/(?:^|[\s(])$/.test(before) || !/^(?:[.,;:!?)]*(?:\s|$))/.test(after))
      refuse(`{{${name}}} must stand alone, with spaces or line breaks around it`);
  }
}

/** `hosts`: what addresses may name; undefined for a text that was checked when it was stored. */
export function checkText(name: TemplateName, { subject, body }: PlainText, hosts: readonly string[] | undefined): void {
  const kinds = TEMPLATES[name];
  checkSubject(subject, kinds);
  if (body.trim() === '' || body.length > MAX_BODY) refuse(`the text must have 1 to ${MAX_BODY} characters`);
  if (HIDDEN.test(body.replace(/[\n\t]/g, ' '))) refuse('the text must be without control and invisible characters');
  const used = placeholdersIn('the text', body, Object.keys(kinds));
  if (REQUIRED_VALUE in kinds && !used.includes(REQUIRED_VALUE))
    refuse(`the text must have {{${REQUIRED_VALUE}}}: the mail is useless without it`);
  checkUrlsStandAlone(body, kinds);
  checkAddresses('the text', body, hosts);
}

/** With addresses as links. Placeholders of addresses become links, too: what they stand for is escaped when the mail is filled. */
function inlineHtml(text: string, kinds: Readonly<Record<string, ValueKind>>): string {
  return escapeHtml(text)
    .replace(/https?:\/\/[^\s<]*[^\s<.,;:!?)\]]/g, (address) => `<a href="${address}">${address}</a>`)
    .replace(PLACEHOLDER, (whole, name: string) => (kinds[name] === 'url' ? `<a href="${whole}">${whole}</a>` : whole))
    .replaceAll('\n', '<br>');
}

/** The layout has the name of the service at its foot, so that the text need not. */
const SIGNATURE = /^\{\{\s*service\s*\}\}$/;

/** The link on a line of its own is a button. */
export function templateOf(name: TemplateName, { subject, body }: PlainText): TemplateText {
  const kinds = TEMPLATES[name];
  const paragraphs = body.split(/\n{2,}/).map((part) => part.trim());
  const html = paragraphs
    .filter((part, at) => part !== '' && !(at === paragraphs.length - 1 && SIGNATURE.test(part)))
    .map((part) => {
      const [, alone] = /^\{\{\s*([\w-]+)\s*\}\}$/.exec(part) ?? [];
      const inner = inlineHtml(part, kinds);
      if (alone === undefined || kinds[alone] !== 'url') return `<p>${inner}</p>`;
      return `<p><a class="button" href="{{${alone}}}">${escapeHtml(subject)}</a></p>\n<p class="small">${inner}</p>`;
    });
  return { subject, text: `${body.trimEnd()}\n`, html: html.join('\n') };
}
