// Settings in an INI file: sections of `key = value`, typed by a table. Accepts what oslo.config accepts, so that files of OpenStack can
// be used unchanged: `=` or `:`, comments after `#` or `;`, and lines that begin with a space continue the previous value.
import { readFileSync } from 'node:fs';
import { ConfigError } from './load.ts';
import { nearestMatch } from './nearest.ts';
import type { Setting, Settings, Values } from './settings.ts';

/** Sections by name. */
export type Sections = Readonly<Record<string, Settings>>;
export type SectionValues<S extends Sections> = { readonly [N in keyof S]: Values<S[N]> };

interface IniEntry {
  readonly line: number;
  text: string;
}

interface IniSection {
  readonly line: number;
  readonly entries: Map<string, IniEntry>;
}

export interface IniFile<S extends Sections> {
  readonly values: SectionValues<S>;
  /** The line of a section or of a key in it, if the file has it. */
  lineOf(section: keyof S & string, key?: string): number | undefined;
  refuse(line: number | undefined, why: string): never;
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;

/** A line that cannot be read must not silently mean the default. The error names only its number, because its text may be a secret. */
function parse(text: string, refuse: IniFile<Sections>['refuse']): Map<string, IniSection> {
  const sections = new Map<string, IniSection>();
  let section: IniSection | undefined;
  let entry: IniEntry | undefined;
  for (const [index, full] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const content = full.trim();
    if (content === '' || /^[#;]/.test(content)) {
      if (content === '') entry = undefined;
      continue;
    }
    if (/^\s/.test(full)) {
      if (!entry) refuse(line, 'begins with a space, but there is no value it could go on with');
      entry.text += `\n${content}`;
      continue;
    }
    const heading = /^\[([^[\]]+)\]$/.exec(content)?.[1]?.trim();
    if (heading !== undefined) {
      const former = sections.get(heading);
      if (former) refuse(line, `begins [${heading}] again, which line ${former.line} has begun; keep one`);
      section = { line, entries: new Map() };
      sections.set(heading, section);
      entry = undefined;
      continue;
    }
    const [, key, value] = /^([A-Za-z_]\w*)\s*[=:]\s*(.*)$/.exec(content) ?? [];
    if (key === undefined || value === undefined) refuse(line, 'is not of the form key = value; comments begin with #');
    if (!section) refuse(line, `sets ${key} before the first [section]`);
    const former = section.entries.get(key);
    if (former) refuse(line, `sets ${key} again, which line ${former.line} has set; keep one`);
    entry = { line, text: value };
    section.entries.set(key, entry);
  }
  return sections;
}

const fileKeyOf = ({ key }: Setting<unknown>): string => `${key}_file`;

function readSecretFile(path: string, refuse: (why: string) => never): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    return refuse(`: cannot read ${path} (${(error as NodeJS.ErrnoException).code}); give the path of a readable file`);
  }
}

function settingValue(
  setting: Setting<unknown>,
  name: string,
  section: IniSection | undefined,
  refuse: IniFile<Sections>['refuse'],
) {
  const secretFile = setting.secret ? section?.entries.get(fileKeyOf(setting)) : undefined;
  const own = section?.entries.get(setting.key);
  if (secretFile && own) refuse(secretFile.line, `: [${name}] ${setting.key} and ${fileKeyOf(setting)} are both set; keep one`);
  const entry = secretFile ?? own;
  if (!entry) return setting.fallback;
  const text = unquoted(entry.text);
  try {
    return setting.read(secretFile ? readSecretFile(text, (why) => refuse(secretFile.line, why)) : text);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return refuse(entry.line, `: [${name}] ${setting.key} ${(error as Error).message}`);
  }
}

/** All values of the sections, from the text of a file or their defaults. Unknown sections and keys are refused. */
export function readIni<const S extends Sections>(sections: S, path: string, text: string): IniFile<S> {
  const refuse: IniFile<S>['refuse'] = (line, why) => {
    throw new ConfigError(`${line === undefined ? '' : `line ${line} of `}${path}${why.startsWith(':') ? '' : ' '}${why}`);
  };
  const parsed = parse(text, refuse);
  for (const [name, { line, entries }] of parsed) {
    const table = Object.hasOwn(sections, name) ? sections[name] : undefined;
    if (!table) refuse(line, `: [${name}] is not a section; did you mean [${nearestMatch(name, Object.keys(sections))}]?`);
    const known = Object.values(table).flatMap((setting) => (setting.secret ? [setting.key, fileKeyOf(setting)] : [setting.key]));
    for (const [key, entry] of entries)
      if (!known.includes(key))
        refuse(entry.line, `: ${key} is not a setting of [${name}]; did you mean ${nearestMatch(key, known)}?`);
  }
  const values = Object.fromEntries(
    Object.entries(sections).map(([name, table]) => [
      name,
      Object.fromEntries(
        Object.entries(table).map(([field, setting]) => [field, settingValue(setting, name, parsed.get(name), refuse)]),
      ),
    ]),
  ) as SectionValues<S>;
  return {
    values,
    lineOf: (name, key) => (key === undefined ? parsed.get(name)?.line : parsed.get(name)?.entries.get(key)?.line),
    refuse,
  };
}

/** The values without a file. */
export const defaultsOf = <const S extends Sections>(sections: S): SectionValues<S> => readIni(sections, '', '').values;
