// Calls the functions of a PKCS#11 library with koffi. Each call runs on a thread of libuv's pool, because a device may take seconds.
import { existsSync, realpathSync } from 'node:fs';
import { KOFFI, type Koffi, type LibraryHandle, loadKoffi } from '../../../platform/koffi.ts';
import { CK, CKR, isCode, Pkcs11Error } from './constants.ts';

const ULONG = 8;
const POINTER = 8;
const INITIALIZE_ARGS_BYTES = 48;
const FLAGS_OF_INITIALIZE_ARGS = 32;

/** Index in CK_FUNCTION_LIST, and the parameters: n is a CK_ULONG, b a CK_BBOOL, p a pointer. */
const FUNCTIONS = {
  C_Initialize: [0, 'p'],
  C_Finalize: [1, 'p'],
  C_GetSlotList: [4, 'bpp'],
  C_GetTokenInfo: [6, 'np'],
  C_GetMechanismList: [7, 'npp'],
  C_GetMechanismInfo: [8, 'nnp'],
  C_OpenSession: [12, 'nnppp'],
  C_CloseSession: [13, 'n'],
  C_CloseAllSessions: [14, 'n'],
  C_GetSessionInfo: [15, 'np'],
  C_Login: [18, 'nnpn'],
  C_Logout: [19, 'n'],
  C_DestroyObject: [22, 'nn'],
  C_GetAttributeValue: [24, 'nnpn'],
  C_FindObjectsInit: [26, 'npn'],
  C_FindObjects: [27, 'npnp'],
  C_FindObjectsFinal: [28, 'n'],
  C_SignInit: [42, 'npn'],
  C_Sign: [43, 'npnpp'],
  C_GenerateKeyPair: [59, 'nppnpnpp'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

const TYPES: Readonly<Record<string, string>> = { n: 'ulong', b: 'uint8', p: 'void *' };

export type FunctionName = keyof typeof FUNCTIONS;
type NativeArgument = number | bigint | Buffer | null;
type NativeFunction = { async(...args: unknown[]): void };

export interface Pkcs11Library {
  readonly path: string;
  /** Throws a Pkcs11Error unless the answer is CKR_OK. */
  call(name: FunctionName, ...args: NativeArgument[]): Promise<void>;
  /** A CK_ATTRIBUTE array. The values stay in memory as long as the array does. */
  template(attributes: readonly Pkcs11Attribute[]): Buffer;
  mechanism(type: number, parameter?: Buffer): Buffer;
  /** Called once per openLibrary. The last call finalizes the library. */
  release(): Promise<void>;
}

export type Pkcs11Attribute = readonly [type: number, value: Buffer | number | boolean];

export function ulong(value: number | bigint = 0): Buffer {
  const buffer = Buffer.alloc(ULONG);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

export const ulongAt = (buffer: Buffer, index: number): bigint => buffer.readBigUInt64LE(index * ULONG);
export const ulongs = (count: number): Buffer => Buffer.alloc(ULONG * count);

const bytesOf = (value: Buffer | number | boolean): Buffer =>
  typeof value === 'boolean' ? Buffer.from([value ? 1 : 0]) : typeof value === 'number' ? ulong(value) : value;

async function koffiOrFail(): Promise<Koffi> {
  try {
    return await loadKoffi();
  } catch (cause) {
    throw new Error(`PKCS#11 needs the package ${KOFFI}; run npm ci without --omit=optional`, { cause });
  }
}

interface LoadedLibrary {
  readonly koffi: Koffi;
  readonly functions: ReadonlyMap<FunctionName, NativeFunction>;
  /** This reference keeps koffi from unloading the library. Few of these libraries survive that. */
  readonly handle: LibraryHandle;
  users: number;
  /** We finalize it only if we initialized it. */
  initializedHere: boolean;
  /** Serializes initialization and finalization. */
  turn: Promise<void>;
}

// Global, because a C library and its initialization belong to the process.
const loaded = new Map<string, LoadedLibrary>();

function load(koffi: Koffi, path: string): LoadedLibrary {
  if (koffi.sizeof('ulong') !== ULONG || koffi.sizeof('void *') !== POINTER)
    throw new Error('PKCS#11 is supported on 64-bit Linux only');
  let handle: LibraryHandle;
  try {
    // Node exports its own OpenSSL. Without `deep`, a library for the system's OpenSSL would call into Node's.
    handle = koffi.load(path, { deep: true });
  } catch (cause) {
    const why = existsSync(path) ? `it does not load: ${(cause as Error).message}` : 'there is no such file';
    const mend = "name the device vendor's PKCS#11 module (.so) for this machine's architecture";
    throw new Error(`PKCS#11 library ${path}: ${why}; ${mend}`, { cause });
  }
  return {
    koffi,
    functions: functionsOf(koffi, handle, path),
    handle,
    users: 0,
    initializedHere: false,
    turn: Promise.resolve(),
  };
}

function functionsOf(koffi: Koffi, handle: LibraryHandle, path: string): Map<FunctionName, NativeFunction> {
  const list = ulongs(1);
  let code: number;
  try {
    code = Number(handle.func('C_GetFunctionList', 'ulong', ['void *'])(list));
  } catch (cause) {
    throw new Error(`PKCS#11 library ${path}: it has no C_GetFunctionList; name a PKCS#11 module`, { cause });
  }
  if (code !== CKR.OK) throw new Pkcs11Error('C_GetFunctionList', code);
  // The version comes first, and is padded to the size of a pointer.
  const table = ulongAt(list, 0) + BigInt(POINTER);
  return new Map(
    (Object.keys(FUNCTIONS) as FunctionName[]).map((name) => {
      const [index, parameters] = FUNCTIONS[name];
      const proto = koffi.proto(
        'ulong',
        [...parameters].map((type) => TYPES[type]!),
      );
      const address = koffi.decode(table + BigInt(index * POINTER), 'void *') as bigint;
      return [name, koffi.decode(address, proto) as NativeFunction];
    }),
  );
}

async function call({ functions }: LoadedLibrary, name: FunctionName, args: NativeArgument[]): Promise<void> {
  const code = await new Promise<number>((resolve, reject) => {
    functions.get(name)!.async(...args, (error: unknown, answer: number | bigint) => {
      // koffi holds no reference to the buffers. Using `args` here keeps them alive until the call is finished.
      args.length = 0;
      if (error) reject(error);
      else resolve(Number(answer));
    });
  });
  if (code !== CKR.OK) throw new Pkcs11Error(name, code);
}

/** True if this call initialized the library. */
async function initialize(library: LoadedLibrary): Promise<boolean> {
  const args = Buffer.alloc(INITIALIZE_ARGS_BYTES);
  args.writeBigUInt64LE(BigInt(CK.CKF_OS_LOCKING_OK), FLAGS_OF_INITIALIZE_ARGS);
  try {
    await call(library, 'C_Initialize', [args]);
    return true;
  } catch (error) {
    if (isCode(error, CKR.CRYPTOKI_ALREADY_INITIALIZED)) return false;
    if (isCode(error, CKR.CANT_LOCK))
      throw new Error('The PKCS#11 library does not support threads; ask its vendor', { cause: error });
    throw error;
  }
}

/** Runs calls one after another: C_Initialize and C_Finalize must not overlap. */
function runInTurn(library: LoadedLibrary, work: () => Promise<void>): Promise<void> {
  const mine = library.turn.then(work);
  library.turn = mine.catch(() => {});
  return mine;
}

/** The library, loaded and initialized. */
export async function openLibrary(path: string): Promise<Pkcs11Library> {
  const koffi = await koffiOrFail();
  // Two paths of the same file are one library.
  const file = existsSync(path) ? realpathSync(path) : path;
  const library = loaded.get(file) ?? load(koffi, path);
  loaded.set(file, library);
  await runInTurn(library, async () => {
    if (library.users === 0) library.initializedHere = await initialize(library);
    library.users++;
  });

  // Buffers that a structure points to must live as long as the structure.
  const alive = new WeakMap<Buffer, readonly Buffer[]>();
  function pointers(buffer: Buffer, values: readonly Buffer[]): Buffer {
    alive.set(buffer, values);
    return buffer;
  }
  const addressOf = (buffer: Buffer): bigint => (buffer.length === 0 ? 0n : koffi.address(buffer));

  return {
    path,
    call: (name, ...args) => call(library, name, args),
    template(attributes) {
      const values = attributes.map(([, value]) => bytesOf(value));
      const words = attributes.flatMap(([type], i) => [BigInt(type), addressOf(values[i]!), BigInt(values[i]!.length)]);
      return pointers(Buffer.concat(words.map((word) => ulong(word))), values);
    },
    mechanism(type, parameter = Buffer.alloc(0)) {
      const words = [BigInt(type), addressOf(parameter), BigInt(parameter.length)];
      return pointers(Buffer.concat(words.map((word) => ulong(word))), [parameter]);
    },
    release: () =>
      runInTurn(library, async () => {
        if (--library.users === 0 && library.initializedHere) await call(library, 'C_Finalize', [null]);
      }),
  };
}
