// A model of a wallet in plain objects, written from the API contract and independent of the implementation. Every step returns the
// expected answer, and changes the model if that is a success.

export interface ModelKey {
  readonly id: string;
  readonly kid: string;
  readonly owner: string;
  readonly alias: string | undefined;
  readonly predecessorId: string | undefined;
  state: 'active' | 'rotated' | 'revoked';
  isDefault: boolean;
  successorId: string | undefined;
  /** In milliseconds. Until then documents contain the key, although it was rotated. */
  verifyUntil: number | undefined;
  republished: readonly string[] | undefined;
}

export interface ModelDid {
  readonly id: string;
  readonly did: string;
  readonly owner: string;
  readonly method: 'web' | 'key';
  readonly name: string | undefined;
  state: 'draft' | 'published' | 'unpublished';
  /** In the order they were added. */
  keyIds: string[];
  version: number;
}

export interface ModelRefusal {
  readonly status: number;
  readonly code: string;
}

type CreatedKey = { readonly id: string; readonly kid: string };

export class WalletModel {
  readonly keys = new Map<string, ModelKey>();
  readonly dids = new Map<string, ModelDid>();
  /** All thumbprints that ever existed, by owner. */
  readonly #spent = new Set<string>();
  /** Names of hosted documents always belong to their first owner. */
  readonly #names = new Map<string, string>();

  keysOf = (owner: string): ModelKey[] => [...this.keys.values()].filter((key) => key.owner === owner);
  didsOf = (owner: string): ModelDid[] => [...this.dids.values()].filter((did) => did.owner === owner);
  carriers = ({ id }: ModelKey): ModelDid[] => [...this.dids.values()].filter((did) => did.keyIds.includes(id));

  /** The thumbprints in the document of a DID. */
  shown({ keyIds }: ModelDid, now: number): string[] {
    return keyIds
      .map((id) => this.keys.get(id)!)
      .filter(({ state, verifyUntil }) => state === 'active' || (state === 'rotated' && verifyUntil! > now))
      .map(({ kid }) => kid);
  }

  #active = (owner: string): ModelKey[] => this.keysOf(owner).filter(({ state }) => state === 'active');
  #default = (owner: string): ModelKey | undefined => this.keysOf(owner).find(({ isDefault }) => isDefault);

  #aliasTaken(owner: string, alias: string | undefined, except?: ModelKey): boolean {
    return alias !== undefined && this.#active(owner).some((key) => key.alias === alias && key !== except);
  }

  #add(owner: string, { id, kid }: CreatedKey, values: Pick<ModelKey, 'alias' | 'isDefault' | 'predecessorId'>): void {
    if (values.isDefault) for (const key of this.keysOf(owner)) key.isDefault = false;
    this.#spent.add(`${owner} ${kid}`);
    const fresh = { state: 'active', successorId: undefined, verifyUntil: undefined, republished: undefined } as const;
    this.keys.set(id, { id, kid, owner, ...values, ...fresh });
  }

  refusesKey(owner: string, alias: string | undefined, kid?: string): ModelRefusal | undefined {
    if (kid !== undefined && this.#spent.has(`${owner} ${kid}`)) return { status: 409, code: 'key-exists' };
    return this.#aliasTaken(owner, alias) ? { status: 409, code: 'alias-taken' } : undefined;
  }

  addKey(owner: string, made: CreatedKey, alias: string | undefined, isDefault: boolean | undefined): void {
    this.#add(owner, made, { alias, isDefault: isDefault ?? !this.#default(owner), predecessorId: undefined });
  }

  refusesRotation(actor: string, key: ModelKey, alias: string | undefined): ModelRefusal | undefined {
    if (key.owner !== actor || !this.keys.has(key.id)) return { status: 404, code: 'not-found' };
    if (key.state !== 'active') return { status: 409, code: 'key-not-active' };
    return this.#aliasTaken(actor, alias, key) ? { status: 409, code: 'alias-taken' } : undefined;
  }

  #succeed(key: ModelKey, made: CreatedKey, alias: string | undefined): void {
    const { isDefault } = key;
    key.state = 'rotated';
    key.isDefault = false;
    key.successorId = made.id;
    this.#add(key.owner, made, { alias, isDefault, predecessorId: key.id });
    for (const did of this.carriers(key).filter(({ method }) => method === 'web')) {
      did.keyIds.push(made.id);
      did.version++;
    }
  }

  rotate(key: ModelKey, made: CreatedKey, alias: string | undefined, verifyUntil: number): void {
    this.#succeed(key, made, alias ?? key.alias);
    key.verifyUntil = verifyUntil;
  }

  refusesRevocation(
    actor: string,
    key: ModelKey,
    { force, followed }: { force: boolean; followed: boolean },
  ): ModelRefusal | undefined {
    if (key.owner !== actor || !this.keys.has(key.id)) return { status: 404, code: 'not-found' };
    if (key.state !== 'active' || force || followed) return undefined;
    const orphaned = this.carriers(key).some(
      ({ method, state, keyIds }) =>
        method === 'web' && state === 'published' && !keyIds.some((id) => id !== key.id && this.keys.get(id)!.state === 'active'),
    );
    return orphaned ? { status: 409, code: 'last-key-of-published-did' } : undefined;
  }

  /** Returns whether this call ended the key; a key ends only once. */
  revoke(key: ModelKey, successor: CreatedKey | undefined): boolean {
    if (key.state === 'revoked') return false;
    if (successor) this.#succeed(key, successor, key.alias);
    const wasDefault = key.isDefault;
    key.state = 'revoked';
    key.isDefault = false;
    const republished: ModelDid[] = [];
    for (const did of this.carriers(key)) {
      if (did.method === 'key') {
        did.state = 'unpublished';
        continue;
      }
      did.keyIds = did.keyIds.filter((id) => id !== key.id);
      did.version++;
      if (did.state === 'published') republished.push(did);
    }
    key.republished = republished.map(({ did }) => did).sort();
    // Time advances between steps, because ids sort by age.
    const [newest] = this.#active(key.owner).sort((a, b) => (a.id < b.id ? 1 : -1));
    if (wasDefault && newest) newest.isDefault = true;
    return true;
  }

  refusesPurge(actor: string, key: ModelKey, force: boolean): ModelRefusal | undefined {
    if (key.owner !== actor || !this.keys.has(key.id)) return { status: 404, code: 'not-found' };
    const isUsed = this.carriers(key).length > 0;
    return key.state !== 'revoked' && isUsed && !force ? { status: 409, code: 'key-in-use' } : undefined;
  }

  purge(key: ModelKey): void {
    this.revoke(key, undefined);
    for (const did of this.carriers(key)) did.keyIds = did.keyIds.filter((id) => id !== key.id);
    this.keys.delete(key.id);
  }

  refusesDid(actor: string, keys: readonly ModelKey[], name: string | undefined): ModelRefusal | undefined {
    const usable = keys.every((key) => key.owner === actor && key.state === 'active' && this.keys.has(key.id));
    if (!usable) return { status: 422, code: 'key-not-active' };
    const exists =
      name === undefined
        ? this.didsOf(actor).some(({ method, keyIds }) => method === 'key' && keyIds[0] === keys[0]!.id)
        : (this.#names.get(name) ?? actor) !== actor || this.didsOf(actor).some((did) => did.name === name);
    return exists ? { status: 409, code: 'did-exists' } : undefined;
  }

  addDid(owner: string, made: { id: string; did: string }, keys: readonly ModelKey[], name: string | undefined): void {
    if (name !== undefined) this.#names.set(name, owner);
    const { id, did } = made;
    const method = name === undefined ? ('key' as const) : ('web' as const);
    const state = name === undefined ? ('published' as const) : ('draft' as const);
    this.dids.set(id, { id, did, owner, method, name, state, keyIds: keys.map((key) => key.id), version: 1 });
  }

  refusesDidStep(actor: string, did: ModelDid, step: 'publish' | 'unpublish' | 'delete'): ModelRefusal | undefined {
    if (did.owner !== actor || !this.dids.has(did.id)) return { status: 404, code: 'not-found' };
    if (step === 'delete')
      return did.method === 'web' && did.state === 'published' ? { status: 409, code: 'did-published' } : undefined;
    if (did.method === 'key') return { status: 422, code: 'not-publishable' };
    if (step === 'unpublish') return did.state === 'draft' ? { status: 409, code: 'not-published' } : undefined;
    const hasActive = did.keyIds.some((id) => this.keys.get(id)!.state === 'active');
    return hasActive ? undefined : { status: 409, code: 'no-active-key' };
  }

  didStep(did: ModelDid, step: 'publish' | 'unpublish' | 'delete'): void {
    if (step === 'delete') this.dids.delete(did.id);
    else did.state = step === 'publish' ? 'published' : 'unpublished';
  }

  /** Removes expired keys from the documents. */
  sweep(now: number): void {
    for (const key of this.keys.values()) {
      if (key.state !== 'rotated' || key.verifyUntil! > now) continue;
      for (const did of this.carriers(key).filter(({ method }) => method === 'web')) {
        did.keyIds = did.keyIds.filter((id) => id !== key.id);
        did.version++;
      }
    }
  }
}
