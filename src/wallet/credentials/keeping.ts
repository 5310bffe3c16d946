// Credentials kept, looked up and used up: what receiving and showing need of the store.
import type { Clock } from '../../platform/clock.ts';
import { newUlid } from '../../platform/ids.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { type Caller, ownerTag, readAs } from '../access/index.ts';
import type { Change, CredentialInstanceRow, CredentialRow, Database, Reader } from '../database.ts';
import type { Dids } from '../dids/index.ts';
import { fail } from '../faults.ts';
import type { FormatName, Holder, VerifiedCredential } from '../formats/index.ts';
import type { PublicJwk } from '../jose/index.ts';
import type { Keys } from '../keys/index.ts';
import { methodId } from '../publication/index.ts';
import type { Status, StatusReference } from '../status/index.ts';
import { insertCredential, keyStates } from './credentials.store.ts';
import { credentialPlace, type Held, type HeldCopy, instancePlace } from './held.ts';
import {
  type CandidateFilter,
  candidateRows,
  deleteInstance,
  forgetStatus,
  insertInstances,
  instancesOf,
  type SigningKey,
  signingKeys,
  writeStatus,
} from './keeping.store.ts';

const CHUNK = 20;
/** How old a status may be when a credential is shown. */
const STATUS_MS = 5 * 60_000;
/** Nobody waits longer for lists that were asked for again. */
const REFRESH_MS = 15_000;

/** Copies are one credential: it holds while all of them do. */
const known = (times: readonly (number | undefined)[]): number[] => times.filter((time) => time !== undefined);
const latest = (times: readonly (number | undefined)[]): number | null => known(times).sort((a, b) => b - a)[0] ?? null;
const earliest = (times: readonly (number | undefined)[]): number | null => known(times).sort((a, b) => a - b)[0] ?? null;

/** In a document that changes, what was asked for with may have moved on to another key; the others have the one for ever. */
const methodOf = (didUrl: string, kid: string): string =>
  didUrl.startsWith('did:web:') ? methodId(didUrl.slice(0, didUrl.indexOf('#')), kid) : didUrl;

/** A copy that an issuer sent and that passed every check. */
export interface NewCopy {
  readonly raw: unknown;
  readonly credential: VerifiedCredential;
  readonly holding: { readonly keyId: string; readonly did?: { readonly id: string; readonly url: string } } | undefined;
}

/** One copy, set aside for an answer, and who signs for it. */
export interface Copy {
  readonly id: string;
  readonly raw: unknown;
  readonly holder: Holder | undefined;
}

/** A copy that can be shown, opened, and the key it is bound to. */
interface Usable {
  readonly id: string;
  readonly content: HeldCopy;
  readonly key?: SigningKey;
}

/** A credential that may answer a verifier, opened. */
export interface Candidate {
  readonly row: CredentialRow;
  readonly held: Held;
  readonly format: FormatName;
  readonly authorityKeyIds: readonly string[];
}

export function createKeeping(deps: {
  db: Database;
  clock: Clock;
  seal: Seal;
  keys: Keys;
  dids: Pick<Dids, 'has'>;
  status: Status;
  change: (caller: Caller, owner: string, work: (inside: Change) => Promise<void>) => Promise<void>;
}) {
  const { db, clock, seal, keys, dids, status, change } = deps;
  /** Copies that answers are being made with, and how many. */
  const setAsideCopies = new Map<string, number>();

  const opened = (row: CredentialInstanceRow): HeldCopy =>
    JSON.parse(seal.open(row.sealed, instancePlace(row)).toString()) as HeldCopy;
  const open = (row: CredentialRow): Held => JSON.parse(seal.open(row.sealed, credentialPlace(row)).toString()) as Held;

  function ifWhole<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      return undefined;
    }
  }

  /** Within the change that writes down how far the exchange is. Copies whose key was revoked meanwhile are of no use. */
  async function keep(
    { tx, audit, touch }: Change,
    owner: string,
    id: string,
    configuration: { readonly id: string; readonly raw: Readonly<Record<string, unknown>> },
    received: readonly NewCopy[],
    from: { readonly address: string; readonly name?: string },
  ): Promise<void> {
    const states = await keyStates(
      tx,
      owner,
      received.flatMap(({ holding: bound }) => bound?.keyId ?? []),
    );
    const copies = received.filter(({ holding: bound }) => !bound || (states.get(bound.keyId) ?? 'revoked') !== 'revoked');
    const [first] = copies;
    if (!first)
      fail('credential-rejected', { why: 'the key it is bound to was revoked' }, { detail: { reasons: ['key-revoked'] } });
    const { credential, holding } = first;
    const metadata = configuration.raw.credential_metadata as { display?: unknown } | undefined;
    const display = [metadata?.display ?? configuration.raw.display].flat()[0];
    const held: Held = {
      types: credential.types,
      issuer: {
        id: credential.issuer.id,
        // A name somebody gives themselves is not put beside the verified id of another.
        ...(from.name === undefined || from.address !== credential.issuer.id ? {} : { name: from.name }),
        verified: true,
        trust: credential.issuer.trust,
      },
      ...(credential.subject === undefined ? {} : { subject: credential.subject }),
      claims: credential.claims,
      ...(typeof display === 'object' && display !== null ? { display: display as Record<string, unknown> } : {}),
      credentialIssuer: from.address,
      credentialConfigurationId: configuration.id,
      ...(credential.authorityKeyIds ? { authorityKeyIds: credential.authorityKeyIds } : {}),
      ...(holding?.did ? { didUrl: holding.did.url } : {}),
    };
    await insertCredential(tx, {
      id,
      owner,
      format: credential.format,
      type: credential.type,
      issuer: credential.issuer.id,
      // Not looked up yet; one without a list has nothing to be looked up.
      status: credential.status ? 'unknown' : 'valid',
      status_checked_at: null,
      key_id: holding?.keyId ?? null,
      // One that was deleted meanwhile is missed by nobody: its credentials stay, too, when it goes later.
      did_id: holding?.did && (await dids.has(tx, owner, holding.did.id)) ? holding.did.id : null,
      binding: credential.binding.kind,
      valid_from: latest(copies.map((copy) => copy.credential.validFrom)),
      valid_until: earliest(copies.map((copy) => copy.credential.validUntil)),
      issued_at: credential.issuedAt ?? null,
      added_at: clock.now(),
      sealed: seal.seal(Buffer.from(JSON.stringify(held)), credentialPlace({ owner, id })),
    });
    await insertInstances(
      tx,
      copies.map((copy, at) => {
        const instance = `${id}.${String(at).padStart(3, '0')}`;
        const kept: HeldCopy = { raw: copy.raw, ...(copy.credential.status ? { status: copy.credential.status } : {}) };
        return {
          id: instance,
          credential_id: id,
          owner,
          key_id: copy.holding?.keyId ?? null,
          sealed: seal.seal(Buffer.from(JSON.stringify(kept)), instancePlace({ owner, id: instance })),
        };
      }),
    );
    audit('credential.received', { kind: 'credential', id }, { format: credential.format, copies: copies.length });
    touch(ownerTag(owner));
  }

  async function* candidates({ owner }: Caller, filter: CandidateFilter): AsyncGenerator<Candidate> {
    for (let before: string | undefined; ; ) {
      const rows = await readAs(db, owner, (reader) => candidateRows(reader, owner, filter, before, CHUNK));
      for (const row of rows) {
        const held = ifWhole(() => open(row));
        // One that is damaged answers nothing, and keeps no other from answering.
        if (held) yield { row, held, format: row.format as FormatName, authorityKeyIds: held.authorityKeyIds ?? [] };
      }
      if (rows.length < CHUNK) return;
      before = rows.at(-1)!.id;
    }
  }

  /** Of one that can be shown: within its time, not withdrawn as far as is known, and with a key that may still sign for it. */
  async function standingOf({ row, held }: Candidate): Promise<'valid' | 'unknown' | undefined> {
    const now = clock.now();
    if ((row.valid_until !== null && row.valid_until <= now) || (row.valid_from !== null && row.valid_from > now))
      return undefined;
    const next = await nextCopy(row);
    if (!next) return undefined;
    const reference = next.content.status;
    if (!reference) return 'valid';
    const isFresh = row.status_checked_at !== null && now - row.status_checked_at < STATUS_MS;
    const found = isFresh ? row.status : await check(row, reference, held);
    return found === 'valid' || found === 'unknown' ? found : undefined;
  }

  /** Reads the list, and writes down what it says. Not knowing changes nothing. */
  const check = async (row: CredentialRow, reference: StatusReference, held: Held): Promise<string> =>
    noted(row, await status.of(reference, signerOf(held)));

  /** Who may say what became of it: its issuer, or somebody of the same authority. */
  const signerOf = ({ issuer, authorityKeyIds }: Held) => ({
    issuer: issuer.id,
    ...(authorityKeyIds ? { authorityKeyIds } : {}),
  });

  async function noted(row: CredentialRow, found: string): Promise<string> {
    if (found === 'unknown') return row.status;
    const caller = { userId: row.owner, owner: row.owner, requestId: null, isAdministrator: false };
    await change(caller, row.owner, async ({ tx, audit, touch }) => {
      await writeStatus(tx, row.owner, row.id, found, clock.now());
      if (found !== row.status) audit('credential.status', { kind: 'credential', id: row.id }, { status: found });
      else audit('credential.checked', { kind: 'credential', id: row.id });
      touch(ownerTag(row.owner));
    });
    return found;
  }

  /**
   * Copies stand for themselves: one that is damaged, or whose key was revoked, is passed over, the others are as good as before.
   */
  async function usableCopies(reader: Reader, row: CredentialRow): Promise<Usable[]> {
    const copies = await instancesOf(reader, row.owner, [row.id]);
    const isBound = row.binding !== 'none';
    const ids = isBound ? copies.flatMap(({ key_id: id }) => id ?? []) : [];
    const found = await signingKeys(reader, row.owner, ids);
    return copies.flatMap((copy) => {
      const key = copy.key_id === null ? undefined : found.get(copy.key_id);
      if (isBound && (!key || key.state === 'revoked')) return [];
      const content = ifWhole(() => opened(copy));
      return content ? { id: copy.id, content, ...(key ? { key } : {}) } : [];
    });
  }

  /** One that is about to be shown to somebody else is passed over, too, while there is another. */
  async function nextCopy(row: CredentialRow): Promise<Usable | undefined> {
    const usable = await readAs(db, row.owner, (reader) => usableCopies(reader, row));
    return usable.find(({ id }) => !setAsideCopies.has(id)) ?? usable.at(-1);
  }

  /** The copy that would be shown next, as it is held, and the algorithm of the key that signs for it. */
  async function peek({ row }: Candidate): Promise<{ readonly raw: unknown; readonly algorithm: string | undefined }> {
    const { content, key } = (await nextCopy(row)) ?? fail('not-found', { kind: 'credential' });
    return { raw: content.raw, algorithm: key?.algorithm };
  }

  /**
   * The copy that is shown next, and who holds it. Nobody else in this process is given it until it is put back; it is used up
   * when it is taken, which is when everything else is ready.
   */
  async function setAside({ row, held }: Candidate): Promise<Copy> {
    const { owner } = row;
    const { id, content, key } = (await nextCopy(row)) ?? fail('not-found', { kind: 'credential' });
    const { raw } = content;
    setAsideCopies.set(id, (setAsideCopies.get(id) ?? 0) + 1);
    if (!key) return { id, raw, holder: undefined };
    return {
      id,
      raw,
      holder: {
        algorithm: key.algorithm,
        jwk: JSON.parse(key.public_jwk) as PublicJwk,
        sign: (data) => keys.sign(owner, key.id, data, 'presentation'),
        ...(held.didUrl === undefined ? {} : { didUrl: methodOf(held.didUrl, key.kid) }),
      },
    };
  }

  function putBack({ id }: Pick<Copy, 'id'>): void {
    const users = setAsideCopies.get(id) ?? 0;
    if (users > 1) setAsideCopies.set(id, users - 1);
    else setAsideCopies.delete(id);
  }

  /**
   * Uses it up, before a byte of it is sent: a copy that two verifiers see lets them compare. The last one that can
   * be shown is kept. False when it can no longer be shown: another process took it, or its key was revoked.
   */
  async function take({ tx, audit, touch }: Change, { row }: Candidate, { id }: Copy): Promise<boolean> {
    const { owner } = row;
    const usable = await usableCopies(tx, row);
    if (!usable.some((copy) => copy.id === id)) return false;
    // Where there were more answers than copies, several have the same: the last of them uses it up.
    const isShared = (setAsideCopies.get(id) ?? 0) > 1;
    if (!isShared && usable.length > 1) {
      await deleteInstance(tx, owner, id);
      // What was known was known of this copy.
      await forgetStatus(tx, owner, row.id);
      touch(ownerTag(owner));
    }
    audit('credential.shown', { kind: 'credential', id: row.id });
    return true;
  }

  /** Lists read again, whatever they were a moment ago. */
  async function refresh(rows: readonly CredentialRow[]): Promise<void> {
    const looks = [];
    for (const row of rows) {
      const next = await nextCopy(row);
      const look = ifWhole(() => ({ reference: next?.content.status, ...signerOf(open(row)) }));
      if (look?.reference) looks.push({ row, ...look, reference: look.reference });
    }
    const found = await status.ofAll(looks, { fresh: true, deadlineMs: REFRESH_MS });
    for (const [at, { row }] of looks.entries()) await noted(row, found[at]!);
  }

  return {
    newId: () => `cred_${newUlid(clock.now())}`,
    keep,
    candidates,
    standingOf,
    peek,
    setAside,
    putBack,
    take,
    refresh,
  };
}

export type Keeping = ReturnType<typeof createKeeping>;
