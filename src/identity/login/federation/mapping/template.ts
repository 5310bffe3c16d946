// Texts with placeholders such as `{0}`, which Python's str.format fills in Keystone.
import { RefusalError } from './identity.ts';
import { MAX_FILLED_LENGTH } from './limits.ts';
import { pythonList } from './python.ts';

/** Literal texts and the numbers of placeholders, in order. */
export type Template = readonly (string | number)[];

/** The values that a rule takes from the assertion: one list for each requirement without a condition, or with a filter. `{0}` is the first. */
export type DirectMaps = readonly (readonly string[])[];

/** Why a text is not a valid template. */
export class TemplateProblem extends Error {}

const MARK = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/** `count` is the number of direct maps. */
export function parseTemplate(text: string, count: number): Template {
  const parts: (string | number)[] = [];
  let literal = '';
  let from = 0;
  let automatic = 0;
  let isNumbered = false;
  for (const mark of text.matchAll(MARK)) {
    literal += text.slice(from, mark.index);
    from = mark.index + mark[0].length;
    if (mark[0] === '{{' || mark[0] === '}}') {
      literal += mark[0][0];
      continue;
    }
    if (mark[1] === undefined) throw new TemplateProblem(`a literal ${mark[0]} must be written as ${mark[0]}${mark[0]}`);
    if (mark[1] === '') automatic += 1;
    else isNumbered = true;
    if (automatic > 0 && isNumbered) throw new TemplateProblem('{} and {0} cannot be mixed');
    parts.push(literal, numberOf(mark[1] === '' ? String(automatic - 1) : mark[1], count));
    literal = '';
  }
  parts.push(literal + text.slice(from));
  return parts.filter((part) => part !== '');
}

function numberOf(text: string, count: number): number {
  // Python also allows attributes, items and formats of a value: `{0.__class__}`, `{0[1]}`, `{0:>9}`.
  if (!/^[0-9]{1,9}$/.test(text)) throw new TemplateProblem('braces may contain only a number');
  const number = Number(text);
  if (number < count) return number;
  const known = count === 0 ? 'no values' : `${count} of them, from {0}`;
  throw new TemplateProblem(`there is no {${number}}: the rule has ${known} (any_one_of and not_any_of give no value)`);
}

/**
 * One value is inserted as it is, several as a Python list. If there is no value, the result is undefined: Keystone inserts `[]`, so that all
 * people without a value get the same user name.
 */
export function fill(template: Template, maps: DirectMaps): string | undefined {
  let filled = '';
  for (const part of template) {
    const values = typeof part === 'string' ? [part] : maps[part]!;
    if (values.length === 0) return undefined;
    // Checked before joining, because a template can contain a long value many times. 4 is for quotes, comma and space.
    const around = values.length === 1 ? 0 : 4;
    const length = values.reduce((sum, value) => sum + value.length + around, filled.length);
    if (length > MAX_FILLED_LENGTH) throw tooLong();
    filled += values.length === 1 ? values[0] : pythonList(values);
  }
  return filled;
}

const tooLong = (): RefusalError => new RefusalError('too_large', `a text is longer than ${MAX_FILLED_LENGTH} characters`);

/** A template for several texts: names or ids of groups. */
export type ListTemplate =
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  /** One text. If it is only a placeholder, one text for each value. */
  | { readonly kind: 'text'; readonly template: Template };

const QUOTED = /\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*/y;

/** The items of a Python list of strings, or undefined if the text is not one. */
function quotedTexts(text: string): string[] | undefined {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const texts: string[] = [];
  let at = 0;
  while (inner.slice(at).trim() !== '') {
    QUOTED.lastIndex = at;
    const match = QUOTED.exec(inner);
    if (!match) return undefined;
    texts.push(match[1] ?? match[2]!);
    at = QUOTED.lastIndex;
    if (at < inner.length && inner[at] !== ',') return undefined;
    at += 1;
  }
  return texts;
}

export function parseListTemplate(text: string, count: number): ListTemplate {
  const items = quotedTexts(text);
  // Parsed before the values are inserted, so that a quote in a value cannot add items.
  if (items) return { kind: 'list', items: items.map((item) => parseTemplate(item, count)) };
  return { kind: 'text', template: parseTemplate(text, count) };
}

export function fillList(list: ListTemplate, maps: DirectMaps): readonly string[] {
  if (list.kind === 'list') return list.items.flatMap((item) => fill(item, maps) ?? []);
  const [only, ...more] = list.template.filter((part) => typeof part === 'number' || part.trim() !== '');
  const values = typeof only === 'number' && more.length === 0 ? maps[only]! : [];
  if (values.length > 1) {
    if (values.some((value) => value.length > MAX_FILLED_LENGTH)) throw tooLong();
    return values;
  }
  const text = fill(list.template, maps);
  return text === undefined ? [] : [text];
}
