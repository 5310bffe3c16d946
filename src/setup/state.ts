// The state of a service, as far as it is needed: what it has, by names, and the ids that requests need.
import type { Body, Client } from './client.ts';
import { type ExistingItem, type Key, type Kind, keyText } from './model.ts';

/** What is read. Reading everything of a large service would take long. */
export interface ReadScope {
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

type NamedKind = Kind | 'user';
type Keeping = Pick<ExistingItem, 'keep' | 'builtIn' | 'locked' | 'fixed' | 'leftOut'>;
/** What the API shows of a thing, as a plan compares it. */
export type Shape = (kind: Kind, body: Body, state: State) => Pick<ExistingItem, 'url' | 'fields'>;
const LOOKED_UP = { organization: ['projects', 'project'], user: ['users', 'user'] } as const;

export class State {
  readonly client: Client;
  readonly need: ReadScope;
  readonly #shapeOf: Shape;
  readonly items: ExistingItem[] = [];
  readonly #byKey = new Map<string, ExistingItem>();
  readonly #ids = new Map<string, string>();
  readonly #keys = new Map<string, Key>();
  readonly #lists = new Map<string, Promise<Body[]>>();
  readonly #lookups = new Map<string, Promise<Key | undefined>>();

  constructor(client: Client, need: ReadScope, shapeOf: Shape) {
    this.client = client;
    this.need = need;
    this.#shapeOf = shapeOf;
  }

  /** A thing that the API shows. Its address follows from its id, unless that is given. */
  add(kind: Kind, key: Key, body: Body, more: Keeping & { readonly url?: string } = {}): void {
    this.#add({ kind, key, id: textOf(body, 'id'), ...this.#shapeOf(kind, body, this), ...more });
  }

  /** Something that is only there or not. */
  addLink(kind: Kind, key: Key, url: string, more: Keeping = {}): void {
    this.#add({ kind, key, id: url, url, fields: {}, ...more });
  }

  #add(found: ExistingItem): void {
    const { kind, key, id } = found;
    const text = keyText(kind, key);
    const other = this.#byKey.get(text);
    // Names of some kinds are not unique. The first is the one that counts, and the plan says that it is not clear.
    const item = other ? { ...found, ambiguous: true } : found;
    this.#byKey.set(text, other ? { ...other, ambiguous: true } : item);
    if (!other) this.setId(kind, key, id);
    this.remember(kind, id, key);
    this.items.push(item);
  }

  find(kind: Kind, key: Key): ExistingItem | undefined {
    return this.#byKey.get(keyText(kind, key));
  }

  idOf(kind: NamedKind, key: Key): string | undefined {
    return this.#ids.get(keyText(kind, key));
  }

  setId(kind: NamedKind, key: Key, id: string): void {
    this.#ids.set(keyText(kind, key), id);
  }

  remember(kind: NamedKind, id: string, key: Key): void {
    this.#keys.set(keyText(kind, [id]), key);
  }

  /** The key of something that was read. */
  keyOf(kind: NamedKind, id: string): Key | undefined {
    return this.#keys.get(keyText(kind, [id]));
  }

  domainName(id: unknown): string {
    return String(this.keyOf('domain', String(id))?.[0] ?? '');
  }

  async eachDomain(work: (domain: { readonly id: string; readonly name: string }) => Promise<void>): Promise<void> {
    const domains = this.items.filter(({ kind }) => kind === 'domain');
    await this.client.each(domains, ({ id, key: [name] }) => work({ id, name: String(name) }));
  }

  /** A list, which is asked for once. Its name is the end of the path. */
  list(path: string): Promise<Body[]> {
    const asked = this.#lists.get(path) ?? this.client.list(path, path.split('?', 1)[0]!.split('/').at(-1)!);
    this.#lists.set(path, asked);
    return asked;
  }

  /** Ids of the groups that the caller is a member of. */
  async ownGroups(): Promise<ReadonlySet<string>> {
    const groups = await this.list(`/v3/users/${pathId(this.client.me.userId)}/groups`);
    return new Set(groups.map((body) => textOf(body, 'id')));
  }

  /** Domain and name of something that may not have been read with the rest; undefined if it is gone, or may not be seen. */
  lookUp(kind: keyof typeof LOOKED_UP, id: string): Promise<Key | undefined> {
    const known = this.keyOf(kind, id);
    if (known) return Promise.resolve(known);
    const [path, envelope] = LOOKED_UP[kind];
    const text = keyText(kind, [id]);
    const asked =
      this.#lookups.get(text) ??
      this.client.find(`/v3/${path}/${pathId(id)}`).then((answer) => {
        const body = answer?.[envelope] as Body | undefined;
        return body && [this.domainName(body.domain_id), textOf(body, 'name')];
      });
    this.#lookups.set(text, asked);
    return asked;
  }
}
