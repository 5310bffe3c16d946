// What a file wants, as a flat list in the order of the file.
import { normalize } from 'node:path';
import type { SetupDocument } from './document.ts';
import {
  attributeFields,
  definitionOf,
  type Entry,
  eachList,
  FILE_LISTS,
  type KindDefinition,
  type List,
  type Lists,
  type NameInDomain,
  type Naming,
} from './kinds/index.ts';
import { type Fields, type Json, type Key, type Kind, keyText, type Path, type PruneScope, type SetupItem } from './model.ts';
import { SetupError } from './text.ts';

export interface WantedSetup {
  readonly items: readonly SetupItem[];
  readonly scopes: readonly PruneScope[];
  /** Users that the file names. They must exist. */
  readonly users: readonly { readonly key: Key; readonly path: Path }[];
  /** Every domain that the file names anywhere. */
  readonly domains: ReadonlySet<string>;
  /** Things that the file refers to. They must exist, or be in the file. */
  readonly references: readonly { readonly kind: Kind; readonly key: Key; readonly path: Path }[];
}

/** Fields in the order of the file, with each attribute as a field of its own. */
function fieldsOf({ fields = {}, fieldsOf }: KindDefinition, entry: Entry, above: Key): Fields {
  const own = Object.entries(entry).flatMap(([name, value]) => {
    const { schema, stored } = fields[name] ?? {};
    return schema ? [[name, stored ? stored(value as never) : (value as Json)] as const] : [];
  });
  return {
    ...Object.fromEntries(own),
    ...attributeFields(entry.attributes as object | undefined),
    ...fieldsOf?.(entry as never, above),
  };
}

/** Kinds whose keys begin with a domain, or with nothing. */
const IN_DOMAINS: readonly Kind[] = ['domain', 'role', 'organization', 'group'];

class Collector {
  readonly items: SetupItem[] = [];
  readonly scopes: PruneScope[] = [];
  readonly users = new Map<string, { key: Key; path: Path }>();
  readonly domains = new Set<string>();
  readonly references: { kind: Kind; key: Key; path: Path }[] = [];
  readonly #document: SetupDocument;
  readonly #places = new Map<string, Path>();

  constructor(document: SetupDocument) {
    this.#document = document;
  }

  #refuse(path: Path, why: string): never {
    throw new SetupError(`${this.#document.place(path)}: ${why}`);
  }

  #add(item: SetupItem): void {
    const text = keyText(item.kind, item.key);
    const other = this.#places.get(text);
    if (other) this.#refuse(item.path, `is in the file twice, the first time in line ${this.#document.lineOf(other)}`);
    this.#places.set(text, item.path);
    if (item.secretTo !== undefined) this.#reserve(item.secretTo, item.path);
    this.items.push(item);
  }

  /** Two secrets do not fit into one file. */
  #reserve(file: string, path: Path): void {
    const text = `file ${normalize(file)}`;
    if (this.#places.has(text)) this.#refuse(path, 'names a file for its secret that another one has');
    this.#places.set(text, path);
  }

  #naming(at: Path): Naming {
    return {
      refuse: (why, ...path) => this.#refuse([...at, ...path], why),
      refer: (kind, key, ...path) => {
        if (typeof key[0] === 'string' && IN_DOMAINS.includes(kind)) this.domains.add(key[0]);
        this.references.push({ kind, key, path: [...at, ...path] });
      },
      user: ({ domain, name }: NameInDomain, ...path) => {
        this.domains.add(domain);
        this.users.set(JSON.stringify([domain, name]), { key: [domain, name], path: [...at, ...path] });
      },
    };
  }

  #entry(kind: Kind, entry: Entry, above: Key, path: Path): void {
    const definition = definitionOf(kind);
    const key = definition.keyOf(entry as never, above, this.#naming(path));
    const fields = fieldsOf(definition, entry, above);
    this.#add({ kind, key, fields, path, ...definition.secretOf?.(entry as never) });
    this.lists(definition.lists ?? {}, entry, key, path);
  }

  #list({ kind, above: prefix }: List, entries: readonly Entry[], key: Key, path: Path): void {
    const above = prefix ?? key;
    const domains = (this.#document.file.domains ?? []).map(({ name }) => name);
    const scopes = definitionOf(kind).scopes?.(entries as readonly never[], domains) ?? [{ prefix: above }];
    this.scopes.push(...scopes.map((scope) => ({ kind, ...scope })));
    for (const [index, entry] of entries.entries()) this.#entry(kind, entry, above, [...path, index]);
  }

  lists(lists: Lists, entry: Entry, key: Key, path: Path): void {
    for (const { path: names, list } of eachList(lists)) {
      const value = names.reduce<unknown>((inner, name) => (inner as Entry | undefined)?.[name], entry);
      if (value === undefined) continue;
      if (list.isOne) this.#entry(list.kind, value as Entry, key, [...path, ...names]);
      else this.#list(list, value as readonly Entry[], key, [...path, ...names]);
    }
  }
}

/** Throws for what a schema cannot say. */
export function wantedOf(document: SetupDocument): WantedSetup {
  const into = new Collector(document);
  into.lists(FILE_LISTS, document.file, [], []);
  return { ...into, users: [...into.users.values()] };
}
