// The state of a service, as far as it is needed: what it has, by names, and the ids that requests need.
import type { Body, Client } from './client.ts';
import { type Fields, type Found, type Key, type Kind, keyText } from './model.ts';
import type { Json } from './schema.ts';

/** What is read. Reading everything of a large service would take long. */
export interface Need {
  readonly kinds: ReadonlySet<Kind>;
  /** Names; undefined for all. */
  readonly domains: ReadonlySet<string> | undefined;
  /** Keys of the applications whose links and assignments are read; undefined for all. */
  readonly applications: ReadonlySet<string> | undefined;
  /** Ids of applications that a file names by id. */
  readonly applicationIds: ReadonlySet<string>;
  /** Groups and users whose grants are read; undefined for all grants. */
  readonly grantees: readonly { readonly kind: 'group' | 'user'; readonly key: Key }[] | undefined;
}

export const textOf = (body: Body, name: string): string => String(body[name] ?? '');
export const pathId = (id: string): string => encodeURIComponent(id);

/** The attributes of a thing beyond the known ones, each as a field. */
export const attributesOf = (body: Body, known: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !known.includes(name) && name !== 'id' && name !== 'links')
      .map(([name, value]) => [`attributes.${name}`, value as Json]),
  );

export class State {
  readonly client: Client;
  readonly need: Need;
  readonly items: Found[] = [];
  readonly #byKey = new Map<string, Found>();
  readonly #ids = new Map<string, string>();
  readonly #domainNames = new Map<string, string>();
  readonly #lookups = new Map<string, Promise<Key | undefined>>();

  constructor(client: Client, need: Need) {
    this.client = client;
    this.need = need;
  }

  needs(...kinds: readonly Kind[]): boolean {
    return kinds.some((kind) => this.need.kinds.has(kind));
  }

  add(found: Found): void {
    const text = keyText(found.kind, found.key);
    const other = this.#byKey.get(text);
    // Names of some kinds are not unique. The first is the one that counts, and the plan says that it is not clear.
    const item = other ? { ...found, ambiguous: true } : found;
    if (other) this.#byKey.set(text, { ...other, ambiguous: true });
    else {
      this.#byKey.set(text, item);
      this.#ids.set(text, found.id);
    }
    this.items.push(item);
  }

  find(kind: Kind, key: Key): Found | undefined {
    return this.#byKey.get(keyText(kind, key));
  }

  idOf(kind: Kind | 'user', key: Key): string | undefined {
    return this.#ids.get(keyText(kind, key));
  }

  setId(kind: Kind | 'user', key: Key, id: string): void {
    this.#ids.set(keyText(kind, key), id);
  }

  nameDomain(id: string, name: string): void {
    this.#domainNames.set(id, name);
  }

  /** Domains that are read: ids by name. */
  domains(): { readonly id: string; readonly name: string }[] {
    const all = [...this.#domainNames].map(([id, name]) => ({ id, name }));
    return all.filter(({ name }) => this.need.domains?.has(name) ?? true);
  }

  domainName(id: string | null | undefined): string {
    return this.#domainNames.get(id ?? '') ?? '';
  }

  /** Domain and name of something that was not read with the rest; undefined if it is gone, or may not be seen. */
  lookUp(kind: 'organization' | 'group' | 'user', id: string): Promise<Key | undefined> {
    const text = `${kind} ${id}`;
    const known = this.#lookups.get(text);
    if (known) return known;
    const [path, envelope] = { organization: ['projects', 'project'], group: ['groups', 'group'], user: ['users', 'user'] }[
      kind
    ] as [string, string];
    const asked = this.client.find(`/v3/${path}/${pathId(id)}`).then((answer) => {
      const body = answer?.[envelope] as Body | undefined;
      return body && [this.domainName(textOf(body, 'domain_id')), textOf(body, 'name')];
    });
    this.#lookups.set(text, asked);
    return asked;
  }

  remember(kind: 'organization' | 'group' | 'user', id: string, key: Key): void {
    this.#lookups.set(`${kind} ${id}`, Promise.resolve(key));
  }
}
