// The texts of a language as they are written, without the English ones for what it lacks. One entry for each area of the product.
import { existsSync, readdirSync } from 'node:fs';
import { english, spanish } from '../src/identity/ground/look/words/texts.ts';
import { WRITTEN as walletDocument } from '../src/wallet/pages/words.ts';

export type Text = string | ((...values: never[]) => unknown) | readonly unknown[];
/** By the names that lead to them, such as `people.newPerson`. */
export type Texts = ReadonlyMap<string, Text>;

const MAILS = 'src/identity/ground/mail/templates';

function flat(value: object, path = ''): [string, Text][] {
  return Object.entries(value).flatMap(([name, text]: [string, Text | object]): [string, Text][] =>
    typeof text === 'object' && !Array.isArray(text) ? flat(text, `${path}${name}.`) : [[`${path}${name}`, text as Text]],
  );
}

/** What a file exports under this name; nothing if there is no such file. */
async function exported(file: string, name: string): Promise<object> {
  if (!existsSync(file)) return {};
  return (await import(`../${file}`))[name];
}

const pageTexts = async (tag: string): Promise<object> =>
  tag === 'en' ? english : tag === 'es' ? spanish : exported(`src/identity/ground/look/words/${tag}/index.ts`, 'words');

const mailTexts = (tag: string): object =>
  Object.fromEntries(existsSync(`${MAILS}/${tag}`) ? readdirSync(`${MAILS}/${tag}`).map((file) => [file, file]) : []);

export const AREAS: Readonly<Record<string, (tag: string) => Promise<object> | object>> = {
  'src/identity/ground/look/words': pageTexts,
  [MAILS]: mailTexts,
  'src/wallet/pages/words.ts': (tag) => (walletDocument as Readonly<Record<string, object>>)[tag] ?? {},
  'console/shared/words': (tag) => exported(`console/shared/words/${tag}.ts`, 'texts'),
  'console/identity/words': (tag) => exported(`console/identity/words/${tag}/index.ts`, 'words'),
  'console/wallet/words': (tag) => exported(`console/wallet/words/${tag}/index.ts`, 'words'),
  'console/api/words': (tag) => exported(`console/api/words/${tag}.ts`, 'texts'),
};

export const textsOf = async (area: string, tag: string): Promise<Texts> => new Map(flat(await AREAS[area]!(tag)));

export interface AreaReport {
  readonly area: string;
  readonly count: number;
  /** Read in English. */
  readonly missing: readonly string[];
  /** What English does not have, so that nobody ever reads it. */
  readonly left: readonly string[];
}

export async function reportOn(tag: string): Promise<AreaReport[]> {
  return Promise.all(
    Object.keys(AREAS).map(async (area) => {
      const [all, written] = [await textsOf(area, 'en'), await textsOf(area, tag)];
      const [missing, left] = [
        [...all].flatMap(([name, text]) => (text === '' || written.has(name) ? [] : [name])),
        [...written.keys()].filter((name) => !all.has(name)),
      ];
      return { area, count: all.size, missing, left };
    }),
  );
}
