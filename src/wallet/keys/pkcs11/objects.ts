// Key objects in a token: generated, found, read and removed within one session.
import { CKA, CKO, CKR, isCode, Pkcs11Error } from './constants.ts';
import { type Pkcs11Attribute, ulong, ulongAt, ulongs } from './library.ts';
import { mustBeLoggedIn, type Pkcs11Session } from './token.ts';

const FOUND_AT_A_TIME = 8;
/** More than the modulus of an RSA key of 8192 bits. */
const MOST_BYTES = 1100;

export interface KeyName {
  readonly id: Buffer;
  readonly label: string;
}

type KeyClass = (typeof CKO)[keyof typeof CKO];

/** By id and label: a key with another label belongs to another owner. */
export async function findKey(session: Pkcs11Session, keyClass: KeyClass, { id, label }: KeyName): Promise<bigint[]> {
  const { library, handle } = session;
  const wanted: Pkcs11Attribute[] = [
    [CKA.CLASS, keyClass],
    [CKA.ID, id],
    [CKA.LABEL, Buffer.from(label)],
  ];
  await library.call('C_FindObjectsInit', handle, library.template(wanted), wanted.length);
  const list = ulongs(FOUND_AT_A_TIME);
  const count = ulong();
  await library.call('C_FindObjects', handle, list, FOUND_AT_A_TIME, count);
  await library.call('C_FindObjectsFinal', handle);
  const found = Array.from({ length: Number(ulongAt(count, 0)) }, (_, i) => ulongAt(list, i));
  if (found.length === 0) await mustBeLoggedIn(session);
  return found;
}

export async function readAttributes(
  { library, handle }: Pkcs11Session,
  object: bigint,
  types: readonly number[],
): Promise<Buffer[]> {
  const values = types.map(() => Buffer.alloc(MOST_BYTES));
  const template = library.template(types.map((type, i) => [type, values[i]!]));
  await library.call('C_GetAttributeValue', handle, object, template, types.length);
  return values.map((value, i) => {
    const length = ulongAt(template, i * 3 + 2);
    if (length > BigInt(MOST_BYTES)) throw new Pkcs11Error('C_GetAttributeValue', CKR.ATTRIBUTE_TYPE_INVALID);
    return value.subarray(0, Number(length));
  });
}

/** The handles of the public and the private key. */
export async function generatePair(
  { library, handle }: Pkcs11Session,
  mechanism: number,
  publicAttributes: readonly Pkcs11Attribute[],
  privateAttributes: readonly Pkcs11Attribute[],
): Promise<{ publicKey: bigint; privateKey: bigint }> {
  const publicKey = ulong();
  const privateKey = ulong();
  await library.call(
    'C_GenerateKeyPair',
    handle,
    library.mechanism(mechanism),
    library.template(publicAttributes),
    publicAttributes.length,
    library.template(privateAttributes),
    privateAttributes.length,
    publicKey,
    privateKey,
  );
  return { publicKey: ulongAt(publicKey, 0), privateKey: ulongAt(privateKey, 0) };
}

export async function signWithKey(
  { library, handle }: Pkcs11Session,
  key: bigint,
  mechanism: number,
  parameter: Buffer | undefined,
  data: Buffer,
): Promise<Buffer> {
  await library.call('C_SignInit', handle, library.mechanism(mechanism, parameter), key);
  const signature = Buffer.alloc(MOST_BYTES);
  const length = ulong(MOST_BYTES);
  // Libraries refuse a null pointer, even for empty data.
  await library.call('C_Sign', handle, data.length > 0 ? data : Buffer.alloc(1), data.length, signature, length);
  return signature.subarray(0, Number(ulongAt(length, 0)));
}

/** Removes both keys. The private key goes first, in case the second call fails. */
export async function removeKey(session: Pkcs11Session, name: KeyName): Promise<void> {
  for (const keyClass of [CKO.PRIVATE_KEY, CKO.PUBLIC_KEY]) {
    for (const object of await findKey(session, keyClass, name)) {
      try {
        await session.library.call('C_DestroyObject', session.handle, object);
      } catch (error) {
        if (!isCode(error, CKR.OBJECT_HANDLE_INVALID)) throw error;
      }
    }
  }
}
