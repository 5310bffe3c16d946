// Writes what a service has as a file.
import { Document, isScalar, visit } from 'yaml';
import { attributeOf, definitionOf, type Entry, eachList, FILE_LISTS, type Lists } from './kinds/index.ts';
import type { ExistingItem, Key, Kind } from './model.ts';
import type { State } from './state.ts';
import { isUnsafe, safeYaml } from './text.ts';

const REFERENCES = new Set(['name', 'domain', 'application', 'file']);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Only values that a new thing would not have. */
function fieldsOf({ kind, fields }: ExistingItem): Entry {
  const known = definitionOf(kind).fields ?? {};
  const entry: Record<string, unknown> = {};
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields).toSorted(([one], [other]) => compare(one, other))) {
    const attribute = attributeOf(name);
    if (attribute !== undefined) attributes[attribute] = value;
    else if (known[name]?.schema && JSON.stringify(known[name].initial) !== JSON.stringify(value)) entry[name] = value;
  }
  return { ...entry, ...(Object.keys(attributes).length > 0 ? { attributes } : {}) };
}

const simple = (part: unknown): string =>
  String(part)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);

class Exporter {
  readonly #files = new Map<string, number>();
  readonly #items: ReadonlyMap<Kind, readonly ExistingItem[]>;

  constructor(items: readonly ExistingItem[]) {
    const sorted = items.toSorted((one, other) => compare(JSON.stringify(one.key), JSON.stringify(other.key)));
    this.#items = Map.groupBy(sorted, ({ kind }) => kind);
  }

  /** A file name of letters and digits, for the secret of something with any name. */
  #fileFor(ending: string, key: readonly unknown[]): { file: string } {
    const name =
      key
        .map(simple)
        .join('-')
        .replaceAll(/^-+|-+$/g, '') || 'secret';
    const count = (this.#files.get(name) ?? 0) + 1;
    this.#files.set(name, count);
    return { file: `${name}${count > 1 ? `.${count}` : ''}.${ending}` };
  }

  #entry(found: ExistingItem, above: Key): unknown {
    const { key, kind } = found;
    const { entryOf, exported, lists = {} } = definitionOf(kind);
    const named = entryOf(key, above);
    if (typeof named !== 'object') return named;
    const entry = { ...named, ...fieldsOf(found), ...this.lists(lists, key) };
    return exported ? exported(entry, found, (ending, ...name) => this.#fileFor(ending, [...key, ...name])) : entry;
  }

  /** The entries of a kind below another thing. */
  #entries(kind: Kind, above: Key): unknown[] {
    const { isBelow = ({ key }: ExistingItem) => above.every((part, index) => key[index] === part) } = definitionOf(kind);
    const below = (this.#items.get(kind) ?? []).filter((found) => isBelow(found, above));
    return below.map((found) => this.#entry(found, above)).filter((entry) => entry !== undefined);
  }

  /** Those that are not empty. */
  lists(lists: Lists, key: Key): Entry {
    const all: Record<string, unknown> = {};
    for (const { path, list } of eachList(lists)) {
      const entries = this.#entries(list.kind, list.above ?? key);
      if (entries.length === 0) continue;
      const [name, inner] = path as [string, string?];
      const value = list.isOne ? entries[0] : entries;
      all[name] = inner === undefined ? value : { ...(all[name] as Entry | undefined), [inner]: value };
    }
    return all;
  }
}

/** What was left out, for the operator. */
export const exportNotices = ({ items }: State): string[] =>
  items.flatMap(({ kind, key, ambiguous, leftOut = [] }) => [
    ...(ambiguous ? [`${kind} ${JSON.stringify(key)}: several have this name`] : []),
    ...leftOut,
  ]);

export const exportFile = ({ items }: State): Entry => ({ version: 1, ...new Exporter(items).lists(FILE_LISTS, []) });

/** References are short enough for one line. Nothing is shortened by anchors, which a set-up file does not have. */
export function exportYaml(file: Entry): string {
  const document = new Document(file, { aliasDuplicateObjects: false, version: '1.2' });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && isUnsafe(node.value)) node.type = 'QUOTE_DOUBLE';
    },
    Map(_key, node) {
      if (node.items.every(({ key, value }) => REFERENCES.has(String(key)) && isScalar(value))) node.flow = true;
    },
  });
  return safeYaml(document.toString({ lineWidth: 0, flowCollectionPadding: true }));
}
