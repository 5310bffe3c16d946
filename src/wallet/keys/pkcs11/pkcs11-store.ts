// Private keys in a PKCS#11 device, which they never leave. The row has the handle of the key. The label in the device contains
// the owner, so a row that was copied to another owner or id finds nothing.
import { createHash, randomBytes } from 'node:crypto';
import type { Algorithm, PublicJwk } from '../../../verifiable/jose/index.ts';
import type { KeyIdentity, KeyStore, StoredKey } from '../key-store.ts';
import { CKA, CKO, CKR, isCode } from './constants.ts';
import type { Pkcs11Attribute } from './library.ts';
import { mechanismOf, publicAttributesOf, publicJwkFrom, supportedBy } from './mechanisms.ts';
import { findKey, generatePair, type KeyName, readAttributes, removeKey, signWithKey } from './objects.ts';
import { openToken, type Pkcs11Session, type TokenOptions } from './token.ts';

const ID_BYTES = 16;
/** Enough to be unique per owner. Some devices only accept short labels. */
const OWNER_BYTES = 16;

const labelOf = ({ owner, keyId }: KeyIdentity): string =>
  `${keyId}.${createHash('sha256').update(owner).digest().subarray(0, OWNER_BYTES).toString('base64url')}`;

/** Error codes of tokens for a curve, or for a way of naming it, that they do not know. */
const CURVE_REFUSED = [
  CKR.GENERAL_ERROR,
  CKR.FUNCTION_FAILED,
  CKR.ARGUMENTS_BAD,
  CKR.ATTRIBUTE_VALUE_INVALID,
  CKR.TEMPLATE_INCONSISTENT,
  CKR.DOMAIN_PARAMS_INVALID,
  CKR.CURVE_NOT_SUPPORTED,
] as const;

async function firstAccepted<D, T>(domains: readonly [D, ...D[]], make: (domain: D) => Promise<T>): Promise<T> {
  const [domain, ...more] = domains;
  try {
    return await make(domain);
  } catch (error) {
    if (more.length === 0 || !isCode(error, ...CURVE_REFUSED)) throw error;
    return firstAccepted(more as [D, ...D[]], make);
  }
}

export async function openPkcs11Store(options: TokenOptions): Promise<KeyStore> {
  const token = await openToken(options);
  const algorithms = supportedBy(token.mechanisms);
  const tokenName = JSON.stringify(token.label);

  function nameOf({ material }: StoredKey, identity: KeyIdentity): KeyName {
    const { token: label, id } = JSON.parse(material) as { token: string; id: string };
    if (label !== token.label)
      throw new Error(`The key is in the PKCS#11 token ${JSON.stringify(label)}, and ${tokenName} is the one that is open`);
    return { id: Buffer.from(id, 'hex'), label: labelOf(identity) };
  }

  async function make(session: Pkcs11Session, algorithm: Algorithm, name: KeyName): Promise<PublicJwk> {
    const recipe = mechanismOf(algorithm);
    const both: Pkcs11Attribute[] = [
      [CKA.TOKEN, true],
      [CKA.ID, name.id],
      [CKA.LABEL, Buffer.from(name.label)],
      [CKA.KEY_TYPE, recipe.keyType],
    ];
    const privateAttributes: Pkcs11Attribute[] = [
      ...both,
      [CKA.PRIVATE, true],
      [CKA.SENSITIVE, true],
      [CKA.EXTRACTABLE, false],
      [CKA.SIGN, true],
      ...recipe.denied,
    ];
    const { publicKey, privateKey } = await firstAccepted(recipe.domains, (domain) =>
      generatePair(session, recipe.generate, [...both, [CKA.VERIFY, true], ...domain], privateAttributes),
    );
    await checkNotExtractable(session, privateKey);
    return publicJwkFrom(algorithm, await readAttributes(session, publicKey, publicAttributesOf(algorithm)));
  }

  /** Refuses tokens that ignore these attributes. */
  async function checkNotExtractable(session: Pkcs11Session, privateKey: bigint): Promise<void> {
    const [sensitive, extractable] = await readAttributes(session, privateKey, [CKA.SENSITIVE, CKA.EXTRACTABLE]);
    if (sensitive?.[0] !== 1 || extractable?.[0] !== 0)
      throw new Error(`PKCS#11 token ${tokenName} makes keys that can be taken out of it; change its configuration`);
  }

  return {
    algorithms,

    async generate(algorithm, identity) {
      if (!algorithms.includes(algorithm)) throw new Error(`PKCS#11 token ${tokenName} cannot make keys for ${algorithm}`);
      const name = { id: randomBytes(ID_BYTES), label: labelOf(identity) };
      let again = false;
      try {
        const publicJwk = await token.use(async (session) => {
          // The previous session may have been lost after the token had generated the key.
          if (again) await removeKey(session, name);
          again = true;
          return make(session, algorithm, name);
        });
        return {
          publicJwk,
          stored: { wrappedKey: null, material: JSON.stringify({ token: token.label, id: name.id.toString('hex') }) },
        };
      } catch (error) {
        // Otherwise an unknown key would stay in the token.
        await token.use((session) => removeKey(session, name)).catch(() => {});
        throw error;
      }
    },

    async sign(stored, algorithm, identity, data) {
      const name = nameOf(stored, identity);
      const { sign, parameter, input, signatureBytes } = mechanismOf(algorithm);
      return token.use(async (session) => {
        // Looked up each time: after another process removed the key, a cached handle could belong to another key.
        const [key, ...more] = await findKey(session, CKO.PRIVATE_KEY, name);
        if (key === undefined || more.length > 0)
          throw new Error(
            `PKCS#11 token ${tokenName} has ${key === undefined ? 'no such key' : 'that key twice'} (${name.label})`,
          );
        const signature = await signWithKey(session, key, sign, parameter, input(data));
        if (signature.length !== signatureBytes)
          throw new Error(`The key ${name.label} in PKCS#11 token ${tokenName} is not one for ${algorithm}`);
        return signature;
      });
    },

    async destroy(stored, identity) {
      const name = nameOf(stored, identity);
      await token.use((session) => removeKey(session, name));
    },

    close: () => token.close(),
  };
}
