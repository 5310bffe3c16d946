// One token of a PKCS#11 library and a small pool of sessions. A session does one operation at a time; callers wait for a free one.
import { CK, CKM, CKR, isCode, Pkcs11Error } from './constants.ts';
import { openLibrary, type Pkcs11Library, ulong, ulongAt, ulongs } from './library.ts';

/** libuv has four threads. A hanging device must leave one for files and DNS. */
const MAX_SESSIONS = 3;
const TOKEN_INFO_BYTES = 256;
const LABEL_BYTES = 32;
const FLAGS_OF_TOKEN_INFO = 12;
const MAX_RW_SESSIONS_OF_TOKEN_INFO = 15;

/** All sessions are lost, and their handles may be reused. */
const SESSIONS_LOST = [CKR.SESSION_HANDLE_INVALID, CKR.SESSION_CLOSED, CKR.DEVICE_REMOVED, CKR.TOKEN_NOT_PRESENT] as const;

/** Temporary failures of a device. SoftHSM fails once in 500 times when two sessions write at the same time. */
const TRANSIENT_ERRORS = [CKR.GENERAL_ERROR, CKR.FUNCTION_FAILED, CKR.DEVICE_ERROR] as const;

export interface TokenOptions {
  readonly library: string;
  readonly tokenLabel?: string;
  readonly pin: string;
}

export interface Pkcs11Session {
  readonly library: Pkcs11Library;
  readonly handle: bigint;
}

/** The supported key sizes by mechanism. */
export type Mechanisms = ReadonlyMap<number, { readonly min: number; readonly max: number }>;

export interface Pkcs11Token {
  readonly label: string;
  readonly mechanisms: Mechanisms;
  /** Runs work with a logged-in session. If the session is lost or the device fails, it is repeated once in a new session. */
  use<T>(work: (session: Pkcs11Session) => Promise<T>): Promise<T>;
  /** Waits for running work. */
  close(): Promise<void>;
}

interface OpenSession extends Pkcs11Session {
  /** The number of session losses before it was opened. */
  readonly age: number;
}

interface Slot {
  readonly id: bigint;
  readonly label: string;
  readonly maxSessions: number;
}

/** PKCS#11 lists are requested twice: first the length, then the content. */
async function listOf(ask: (list: Buffer | null, count: Buffer) => Promise<void>): Promise<bigint[]> {
  const count = ulong();
  await ask(null, count);
  const list = ulongs(Number(ulongAt(count, 0)));
  if (list.length > 0) await ask(list, count);
  return Array.from({ length: Number(ulongAt(count, 0)) }, (_, i) => ulongAt(list, i));
}

async function slotsOf(library: Pkcs11Library): Promise<Slot[]> {
  const slots: Slot[] = [];
  for (const id of await listOf((list, count) => library.call('C_GetSlotList', 1, list, count))) {
    const info = Buffer.alloc(TOKEN_INFO_BYTES);
    try {
      await library.call('C_GetTokenInfo', id, info);
    } catch (error) {
      // The token was removed meanwhile or is unusable. The others are still usable.
      if (error instanceof Pkcs11Error) continue;
      throw error;
    }
    if ((ulongAt(info, FLAGS_OF_TOKEN_INFO) & BigInt(CK.CKF_TOKEN_INITIALIZED)) === 0n) continue;
    const most = Number(ulongAt(info, MAX_RW_SESSIONS_OF_TOKEN_INFO));
    // Zero means "no limit", all ones mean "unknown".
    const maxSessions = most > 0 ? Math.min(most, MAX_SESSIONS) : MAX_SESSIONS;
    slots.push({ id, label: info.toString('utf8', 0, LABEL_BYTES).trimEnd(), maxSessions });
  }
  return slots;
}

async function findSlot(library: Pkcs11Library, wanted: string | undefined): Promise<Slot> {
  const slots = await slotsOf(library);
  const fitting = wanted === undefined ? slots : slots.filter(({ label }) => label === wanted);
  if (fitting.length === 1) return fitting[0]!;
  const there = slots.map(({ label }) => JSON.stringify(label)).join(', ') || 'none';
  const fault =
    wanted === undefined
      ? 'the token must be named by its label unless there is exactly one'
      : fitting.length === 0
        ? `there is no initialized token labelled ${JSON.stringify(wanted)}; initialize it, connect it, or name another`
        : `${fitting.length} tokens are labelled ${JSON.stringify(wanted)}; give them labels of their own`;
  throw new Error(`PKCS#11 library ${library.path}: ${fault} (tokens: ${there})`);
}

async function mechanismsOf(library: Pkcs11Library, slot: bigint): Promise<Mechanisms> {
  const known = new Set<number>(Object.values(CKM));
  const mechanisms = new Map<number, { min: number; max: number }>();
  for (const type of await listOf((list, count) => library.call('C_GetMechanismList', slot, list, count))) {
    if (!known.has(Number(type))) continue;
    const info = ulongs(3);
    await library.call('C_GetMechanismInfo', slot, type, info);
    mechanisms.set(Number(type), { min: Number(ulongAt(info, 0)), max: Number(ulongAt(info, 1)) });
  }
  return mechanisms;
}

const PIN_FAULTS: ReadonlyMap<number, string> = new Map([
  [CKR.PIN_INCORRECT, 'the PIN is wrong; set the user PIN of this token (each wrong try counts towards locking it)'],
  [CKR.PIN_INVALID, 'the PIN has characters the token does not take; set the user PIN of this token'],
  [CKR.PIN_LEN_RANGE, 'the PIN is too short or too long; set the user PIN of this token'],
  [CKR.PIN_LOCKED, "the PIN is locked after too many wrong tries; unlock it with the vendor's tool"],
  [CKR.PIN_EXPIRED, "the PIN has expired; set a new one with the vendor's tool"],
  [CKR.USER_PIN_NOT_INITIALIZED, "the token has no user PIN yet; set one with the vendor's tool"],
]);

async function logIn({ library, handle }: Pkcs11Session, label: string, pin: Buffer): Promise<void> {
  try {
    await library.call('C_Login', handle, CK.CKU_USER, pin, pin.length);
  } catch (error) {
    // The login applies to the whole process, so another session may have done it.
    if (isCode(error, CKR.USER_ALREADY_LOGGED_IN)) return;
    const fault = error instanceof Pkcs11Error ? PIN_FAULTS.get(error.code) : undefined;
    throw fault ? new PinRefusedError(`PKCS#11 token ${JSON.stringify(label)}: ${fault}`, { cause: error }) : error;
  }
}

class PinRefusedError extends Error {}

/** A session that is not logged in does not get an error, but finds no private objects. */
export async function mustBeLoggedIn({ library, handle }: Pkcs11Session): Promise<void> {
  const info = ulongs(4);
  await library.call('C_GetSessionInfo', handle, info);
  const state = Number(ulongAt(info, 1));
  if (state !== CK.CKS_RW_USER_FUNCTIONS && state !== CK.CKS_RO_USER_FUNCTIONS)
    throw new Pkcs11Error('C_GetSessionInfo', CKR.USER_NOT_LOGGED_IN);
}

export async function openToken(options: TokenOptions): Promise<Pkcs11Token> {
  const library = await openLibrary(options.library);
  try {
    const slot = await findSlot(library, options.tokenLabel);
    return await sessionsWith(library, slot, Buffer.from(options.pin));
  } catch (error) {
    await library.release().catch(() => {});
    throw error;
  }
}

async function sessionsWith(library: Pkcs11Library, found: Slot, pin: Buffer): Promise<Pkcs11Token> {
  const { label, maxSessions } = found;
  /** Unknown after a loss: the token may come back in another slot. */
  let slot: bigint | undefined = found.id;
  let free: OpenSession[] = [];
  let losses = 0;
  let refused: PinRefusedError | undefined;
  let busy = 0;
  const waiting: (() => void)[] = [];
  let whenIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  async function open(): Promise<OpenSession> {
    // Each attempt with a wrong PIN counts towards locking the token.
    if (refused) throw refused;
    const age = losses;
    slot ??= (await findSlot(library, label)).id;
    const handle = ulong();
    await library.call('C_OpenSession', slot, CK.CKF_SERIAL_SESSION | CK.CKF_RW_SESSION, null, null, handle);
    const session = { library, handle: ulongAt(handle, 0), age };
    try {
      await logIn(session, label, pin);
    } catch (error) {
      if (error instanceof PinRefusedError) refused = error;
      await end(session);
      throw error;
    }
    return session;
  }

  /** After a loss the handle may belong to another session. */
  const isOurs = (session: OpenSession): boolean => session.age === losses;

  async function end(session: OpenSession): Promise<void> {
    if (isOurs(session)) await library.call('C_CloseSession', session.handle).catch(() => {});
  }

  function lose(session: OpenSession | undefined): void {
    // Another caller may have noticed the loss and opened new sessions.
    if (session && !isOurs(session)) return;
    losses++;
    free = [];
    slot = undefined;
  }

  async function attempt<T>(work: (session: Pkcs11Session) => Promise<T>): Promise<T> {
    let session = free.pop();
    for (let again = true; ; again = false) {
      try {
        session ??= await open();
        const result = await work(session);
        if (isOurs(session)) free.push(session);
        return result;
      } catch (error) {
        const lost = isCode(error, ...SESSIONS_LOST);
        if (lost) lose(session);
        // Closing the session also ends unfinished operations in it.
        else if (session) await end(session);
        if (!again || !(lost || isCode(error, CKR.USER_NOT_LOGGED_IN, ...TRANSIENT_ERRORS))) throw error;
        session = undefined;
      }
    }
  }

  async function use<T>(work: (session: Pkcs11Session) => Promise<T>): Promise<T> {
    if (closing) throw new Error(`PKCS#11 token ${JSON.stringify(label)} is closed`);
    if (busy < maxSessions) busy++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await attempt(work);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else if (--busy === 0) whenIdle?.();
    }
  }

  async function close(): Promise<void> {
    if (busy > 0)
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    for (const session of free) await end(session);
    await library.release();
  }

  const mechanisms = await mechanismsOf(library, found.id);
  // Checks the PIN at the start, not at the first signature.
  await use(async () => {});
  return {
    label,
    mechanisms,
    use,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
