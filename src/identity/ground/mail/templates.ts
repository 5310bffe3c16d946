// Templates of mails: the built-in ones, and those of a folder, which replace them one by one. `<language>/<name>.txt` begins with
// `Subject: ...` and an empty line; `<language>/<name>.html` is the content of layout.html. A mistake in the folder stops the start,
// because otherwise nobody would notice it before the mail is needed.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, nearestMatch } from '../../../platform/config/index.ts';
import { DEFAULT_LANGUAGE } from '../../../platform/languages/index.ts';
import { REQUIRED_VALUE, TEMPLATE_NAMES, TEMPLATES, type TemplateName, type ValueKind } from './letters.ts';
import { PLACEHOLDER, type TemplateText } from './render.ts';

export const BUILT_IN = fileURLToPath(new URL('./templates', import.meta.url));
const LAYOUT = 'layout.html';
const LAYOUT_VALUES = ['color', 'content', 'ink', 'language', 'logo', 'service', 'subject'];
const LANGUAGE = /^[a-z]{2,3}$/;
const MAX_BYTES = 256 * 1024;

export interface Templates {
  /** In this language, else in the language of the settings, else in English. Returns the language, too. */
  find(name: TemplateName, language: string | undefined): { template: TemplateText; language: string };
  readonly layout: string;
  /** Those that it has templates in. */
  readonly languages: readonly string[];
  /** The template of the folder or of the program; `isFixed`: of the folder. */
  origin(language: string, name: TemplateName): { readonly template: TemplateText; readonly isFixed: boolean } | undefined;
}

/** What administrators have stored instead of the templates of the program. */
export type StoredTexts = (language: string, name: TemplateName) => TemplateText | undefined;

class TemplateFolder {
  readonly #folder: string;
  readonly #setting: string;

  constructor(folder: string, setting: string) {
    this.#folder = folder;
    this.#setting = setting;
  }

  refuse(file: string, why: string): never {
    throw new ConfigError(`${this.#setting}: ${join(this.#folder, file)} ${why}`);
  }

  names(folder = ''): string[] {
    const path = join(this.#folder, folder);
    try {
      // Ignores files of editors and file managers.
      return readdirSync(path).filter((name) => !name.startsWith('.') && !name.endsWith('~'));
    } catch (error) {
      return this.refuse(folder, `cannot be read as a folder (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  isFolder(name: string): boolean {
    return statSync(join(this.#folder, name)).isDirectory();
  }

  has(file: string): boolean {
    return existsSync(join(this.#folder, file));
  }

  text(file: string): string {
    const path = join(this.#folder, file);
    try {
      const bytes = readFileSync(path);
      if (bytes.length > MAX_BYTES) this.refuse(file, `is longer than ${MAX_BYTES} bytes`);
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      return this.refuse(file, code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code})`);
    }
  }
}

/** Refuses unknown and incomplete placeholders. Returns the names of the values. */
function checkPlaceholders(reader: TemplateFolder, file: string, text: string, known: readonly string[]): string[] {
  const used = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
  const unknown = used.find((name) => !known.includes(name));
  if (unknown !== undefined)
    reader.refuse(file, `has {{${unknown}}}; it may use ${known.map((name) => `{{${name}}}`).join(', ')}`);
  if (/\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''))) reader.refuse(file, 'has {{ or }} without a value');
  return used;
}

function readTemplate(reader: TemplateFolder, language: string, name: TemplateName): TemplateText {
  const [textFile, htmlFile] = [`${language}/${name}.txt`, `${language}/${name}.html`];
  for (const [file, other] of [
    [textFile, htmlFile],
    [htmlFile, textFile],
  ] as const)
    if (!reader.has(file)) reader.refuse(file, `is missing; ${other} is there, and every mail has both`);
  const kinds: Readonly<Record<string, ValueKind>> = TEMPLATES[name];
  const [, subject, text] = /^Subject: *(\S.*)\n\n([\s\S]*)$/.exec(reader.text(textFile)) ?? [];
  if (subject === undefined || !text?.trim())
    return reader.refuse(textFile, 'must begin with "Subject: ..." and an empty line, then the text');
  const html = reader.text(htmlFile);
  const known = Object.keys(kinds);
  checkPlaceholders(reader, textFile, subject, known);
  for (const [file, content] of [
    [textFile, text],
    [htmlFile, html],
  ] as const) {
    const used = checkPlaceholders(reader, file, content, known);
    if (REQUIRED_VALUE in kinds && !used.includes(REQUIRED_VALUE))
      reader.refuse(file, `must have {{${REQUIRED_VALUE}}}: the mail is useless without it`);
  }
  return { subject: subject.trim(), text, html };
}

type TemplateMap = Map<string, TemplateText>;
const keyOf = (language: string, name: string): string => `${language}/${name}`;

/** The templates of one language in the folder. Refuses files with other names, because a typing error would go unnoticed. */
function namesIn(reader: TemplateFolder, language: string): TemplateName[] {
  const found = new Set<TemplateName>();
  for (const file of reader.names(language)) {
    const [, base] = /^(.*)\.(?:txt|html)$/.exec(file) ?? [];
    const name = TEMPLATE_NAMES.find((one) => one === base);
    if (name === undefined)
      reader.refuse(
        join(language, file),
        `is not a template; did you mean ${nearestMatch(
          file,
          TEMPLATE_NAMES.flatMap((one) => [`${one}.txt`, `${one}.html`]),
        )}?`,
      );
    else found.add(name);
  }
  return [...found];
}

function readFolder(folder: string, setting: string): { found: TemplateMap; layout: string | undefined } {
  const reader = new TemplateFolder(folder, setting);
  const found: TemplateMap = new Map();
  let layout: string | undefined;
  for (const entry of reader.names()) {
    if (entry === LAYOUT) {
      layout = reader.text(LAYOUT);
      const used = checkPlaceholders(reader, LAYOUT, layout, LAYOUT_VALUES);
      if (!used.includes('content')) reader.refuse(LAYOUT, 'must have {{content}}, the place of the mail');
    } else if (LANGUAGE.test(entry) && reader.isFolder(entry))
      for (const name of namesIn(reader, entry)) found.set(keyOf(entry, name), readTemplate(reader, entry, name));
    else reader.refuse(entry, `is neither ${LAYOUT} nor the folder of a language, as en or es`);
  }
  return { found, layout };
}

/** `es-MX` and `ES_mx` are Spanish. */
const baseOf = (language: string | undefined): string => /^[a-z]{2,3}(?=[-_]|$)/i.exec(language ?? '')?.[0].toLowerCase() ?? '';

/** Reads all templates. Those of `folder` replace the built-in ones. */
function readTemplates(folder: string | undefined, fallback: string, setting: string, stored: StoredTexts): Templates {
  const own = readFolder(BUILT_IN, 'built-in templates');
  const custom = folder === undefined ? undefined : readFolder(folder, setting);
  const all = new Map([...own.found, ...(custom?.found ?? [])]);
  const isFixed = (key: string): boolean => custom?.found.has(key) ?? false;
  return {
    layout: custom?.layout ?? own.layout!,
    languages: [...new Set([...all.keys()].map((key) => key.slice(0, key.indexOf('/'))))].sort(),
    origin(language, name) {
      const key = keyOf(language, name);
      const template = all.get(key);
      return template && { template, isFixed: isFixed(key) };
    },
    find(name, language) {
      for (const one of [baseOf(language), baseOf(fallback), DEFAULT_LANGUAGE]) {
        const key = keyOf(one, name);
        const template = (isFixed(key) ? undefined : stored(one, name)) ?? all.get(key);
        if (template) return { template, language: one };
      }
      throw new Error(`there is no template ${name}`);
    },
  };
}

export interface TemplateSettings {
  readonly mailTemplates: string | undefined;
  readonly mailLanguage: string;
}

/** Reads the templates of a folder at once, to report mistakes at the start. Reads only built-in ones with the first mail. */
export function createTemplates(
  { mailTemplates, mailLanguage }: TemplateSettings,
  stored: StoredTexts = () => undefined,
): () => Templates {
  const load = (): Templates => readTemplates(mailTemplates, mailLanguage, 'GATEHOUSE_IDENTITY_MAIL_TEMPLATES', stored);
  let templates = mailTemplates === undefined ? undefined : load();
  return () => {
    templates ??= load();
    return templates;
  };
}
