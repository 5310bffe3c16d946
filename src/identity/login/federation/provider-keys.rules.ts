// Keys of ours at one provider: another one at each, so that none of them learns where else we are a client, and each is replaced by itself.
// What is published is used a while later, when the provider has read it.
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { type ClientKeys, type ClientWay, neededKeys, type SigningKey } from '../../../platform/openid-client/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { OpenidProviderRow, ProviderKeyRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { optionsOf } from './client-options.ts';
import { lockIdentityProvider } from './identity-providers.store.ts';
import { findOpenidSettings, setVersion } from './openid-settings.store.ts';
import { deleteKeys, deleteKeysOfProvider, insertKeys, keysOfProvider } from './provider-keys.store.ts';

/** Providers read keys again after minutes, or when they see one that they do not know. */
const PUBLISHED_FIRST_SECONDS = 600;
/** Proofs of possession are between us and the provider: any algorithm that is common does. */
const DPOP_ALGORITHM = 'ES256';
const sealContext = (id: string): string => `provider_keys/${id}`;

type Purpose = ProviderKeyRow['used_for'];

export function createProviderKeys({ db, clock, change, seal }: Pick<Deps, 'db' | 'clock' | 'change'> & { readonly seal: Seal }) {
  /** Not in a transaction: a key for RSA takes a while. */
  async function make(providerId: string, usedFor: Purpose, alg: string): Promise<ProviderKeyRow> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const id = newId();
    const published = { ...(await exportJWK(publicKey)), kid: id, alg, use: 'sig' };
    return {
      id,
      provider_id: providerId,
      used_for: usedFor,
      alg,
      public_jwk: JSON.stringify(published),
      sealed: seal.seal(Buffer.from(JSON.stringify(await exportJWK(privateKey))), sealContext(id)),
      created_at: seconds(clock),
    };
  }

  const algOf = (usedFor: Purpose, way: ClientWay): string => (usedFor === 'sig' ? way.signing_alg : DPOP_ALGORITHM);
  function missing(way: ClientWay, rows: readonly ProviderKeyRow[]): Purpose[] {
    const { sig, dpop } = neededKeys(way);
    const purposes: Purpose[] = [...(sig ? ['sig' as const] : []), ...(dpop ? ['dpop' as const] : [])];
    return purposes.filter((purpose) => !rows.some((row) => row.used_for === purpose && row.alg === algOf(purpose, way)));
  }

  const privateKeyOf = async ({ id, alg, sealed }: ProviderKeyRow): Promise<SigningKey['key']> => {
    const jwk = JSON.parse(seal.open(sealed, sealContext(id)).toString()) as JWK;
    return (await importJWK(jwk, alg)) as SigningKey['key'];
  };

  /** To sign with: the newest that was published long enough, or the only one. */
  function current<Key extends { readonly since: number }>(keys: readonly Key[]): Key | undefined {
    return keys.find(({ since }) => since <= seconds(clock) - PUBLISHED_FIRST_SECONDS) ?? keys.at(-1);
  }

  return {
    /** Those that the settings need and are not there, ready to be stored with the settings. */
    async prepare(providerId: string, way: ClientWay, { isOther }: { readonly isOther: boolean }): Promise<ProviderKeyRow[]> {
      const rows = isOther ? [] : await keysOfProvider(db.read, providerId);
      return Promise.all(missing(way, rows).map((purpose) => make(providerId, purpose, algOf(purpose, way))));
    },

    /** Beside those that are in use: for a provider that reads them before there are settings with them. */
    publish: ({ tx }: Change, prepared: readonly ProviderKeyRow[]): Promise<void> => insertKeys(tx, prepared),

    /** Those, if nothing came of it. */
    takeBack: (tx: Tx, prepared: readonly ProviderKeyRow[]): Promise<void> => deleteKeys(tx, prepared),

    /**
     * In the transaction that writes the settings. Keys for another algorithm are gone with it; for another provider, all of them but those that were
     * published for it.
     */
    async store(
      { tx }: Change,
      providerId: string,
      way: ClientWay,
      {
        prepared,
        isOther,
        published,
      }: { readonly prepared: readonly ProviderKeyRow[]; readonly isOther: boolean; readonly published: readonly string[] },
    ): Promise<void> {
      const all = await keysOfProvider(tx, providerId);
      const rows = all.filter(({ id }) => !isOther || published.includes(id));
      const purposes = missing(way, rows);
      const added = prepared.filter(({ used_for: purpose }) => purposes.includes(purpose));
      // Somebody else wrote them in the meantime.
      if (added.length < purposes.length) fail('resource.changed', { kind: 'openid_settings', id: providerId });
      await deleteKeys(
        tx,
        all.filter((row) => !rows.includes(row) || (row.used_for === 'sig' && row.alg !== way.signing_alg)),
      );
      await insertKeys(tx, added);
    },

    /** For a client of this provider; undefined if it needs none. */
    async load(providerId: string, { signing_alg: alg }: Pick<ClientWay, 'signing_alg'>): Promise<ClientKeys | undefined> {
      const rows = await keysOfProvider(db.read, providerId);
      if (rows.length === 0) return undefined;
      const signing = await Promise.all(
        rows
          .filter((row) => row.used_for === 'sig' && row.alg === alg)
          .map(async (row) => ({ kid: row.id, since: row.created_at, key: await privateKeyOf(row) })),
      );
      const bound = rows.find(({ used_for: purpose }) => purpose === 'dpop');
      const published = bound && (JSON.parse(bound.public_jwk) as JWK);
      const publicKey = published && ((await importJWK(published, bound.alg, { extractable: true })) as SigningKey['key']);
      return {
        signing: () => current(signing),
        dpop: bound && publicKey && { privateKey: await privateKeyOf(bound), publicKey },
      };
    },

    /** For everybody: what the provider verifies with. Of a provider that is not there or needs none it is empty. */
    published: async (providerId: string): Promise<{ readonly keys: readonly unknown[] }> => ({
      keys: (await keysOfProvider(db.read, providerId))
        .filter(({ used_for: purpose }) => purpose === 'sig')
        .map(({ public_jwk: key }) => JSON.parse(key) as unknown),
    }),

    removeAll: ({ tx }: Change, providerId: string): Promise<void> => deleteKeysOfProvider(tx, providerId),

    list: ({ provider_id: id }: OpenidProviderRow): Promise<ProviderKeyRow[]> => keysOfProvider(db.read, id),

    /** `at_once`: the former are neither used nor published any more, as if they were stolen. */
    async replace(caller: Caller, { provider_id: id }: OpenidProviderRow, atOnce: boolean): Promise<ProviderKeyRow[]> {
      const gone = (): never => fail('openid_provider.not_found', { id });
      const before = (await findOpenidSettings(db.read, id)) ?? gone();
      const way = optionsOf(before);
      const { sig, dpop } = neededKeys(way);
      const made = await Promise.all([
        ...(sig ? [make(id, 'sig', way.signing_alg)] : []),
        // Proofs are not published: there is no reason to keep the former key, except sign-ins that are going on.
        ...(dpop && atOnce ? [make(id, 'dpop', DPOP_ALGORITHM)] : []),
      ]);
      await change(caller, async (transaction) => {
        const { tx } = transaction;
        if (!(await lockIdentityProvider(db, tx, id))) fail('identity_provider.not_found', { id });
        const row = (await findOpenidSettings(tx, id)) ?? gone();
        if (row.client_options !== before.client_options || row.issuer !== before.issuer)
          fail('resource.changed', { kind: 'openid_settings', id });
        const former = await keysOfProvider(tx, id);
        const [newest] = former.filter(({ used_for: purpose }) => purpose === 'sig');
        const kept = atOnce ? [] : former.filter((key) => key.used_for === 'dpop' || key.id === newest?.id);
        await deleteKeys(
          tx,
          former.filter((key) => !kept.includes(key)),
        );
        await insertKeys(tx, made);
        await setVersion(tx, id, Math.max(clock.now(), row.version + 1));
        transaction.invalidate(tagOf.identityProvider(id));
        transaction.audit('identity_provider.keys_replaced', { kind: 'identity_provider', id }, { at_once: atOnce });
      });
      return keysOfProvider(db.read, id);
    },
  };
}

export type ProviderKeys = ReturnType<typeof createProviderKeys>;
