// The keys of the issuer of credentials. A key is announced before it signs, and is published as long as anything that it signed can be valid, so
// that a rotation invalidates nothing.
import type { KeyObject, X509Certificate } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { type CertificatePeriod, startOf } from '../../../verifiable/trust/index.ts';
import { type Actor, serviceActor } from '../../ground/audit/index.ts';
import type { IssuerKeyRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { completeIssuer } from './completion.ts';
import {
  activeAmong,
  certificateIn,
  DAY,
  HOUR,
  ISSUER_KEYS_TAG,
  type IssuerKeysDeps,
  type IssuerPublicKey,
  isFresh,
  isPublished,
  makeKey,
  openKey,
  publicOf,
} from './key-material.ts';
import { deleteKeys, findCertificate, insertKey, isAnyValid, markActive, readKeys } from './keys.store.ts';

/** Long enough for verifiers that cache our keys to fetch a new one before it signs. */
const ANNOUNCE_SECONDS = HOUR;
/** A process may sign with a key for so long after it last said so; status lists and requests live no longer. */
const KEEP_SECONDS = 2 * DAY;
/** Verifiers accept so many keys of an issuer, among them our own (trust/issuer-metadata.ts). */
const MAX_KEYS = 40;

export interface Ring {
  readonly active: { readonly id: string; readonly key: KeyObject };
  /** Leaf first, without the root. */
  readonly chain: readonly string[];
  readonly chainPeriod: CertificatePeriod;
  /** Whether the certificate is one for mobile documents. */
  readonly signsDocuments: boolean;
  readonly anchor: string | undefined;
  readonly published: readonly IssuerPublicKey[];
  /** When the next key becomes active (seconds). */
  readonly changesAt: number | undefined;
}

export interface IssuerKeyRotation {
  readonly actor?: Actor;
  /** Fails if a successor waits already. */
  readonly unlessAnnounced?: boolean;
}

/** Undefined if something is missing that has to be made first. */
async function readRing(deps: IssuerKeysDeps): Promise<Ring | undefined> {
  const { db, clock, seal, brought } = deps;
  const now = seconds(clock);
  const rows = await readKeys(db.read);
  const active = activeAmong(deps, rows);
  if (!active) return undefined;
  const published = rows.filter(isPublished).map(publicOf);
  if (brought) {
    const { id, key, chain, from, until, signsDocuments } = brought;
    return {
      active: { id, key },
      chain,
      chainPeriod: { from, until },
      signsDocuments,
      anchor: undefined,
      published,
      changesAt: undefined,
    };
  }
  const leaf = await findCertificate(db.read, active.id, deps.issuer());
  if (!isFresh(leaf, now)) return undefined;
  const authority = rows
    .filter((row) => !isPublished(row))
    .map((row) => certificateIn(row.certificate!))
    .find((one) => certificateIn(leaf.certificate).verify(one.publicKey));
  return {
    active: { id: active.id, key: openKey(seal, active) },
    chain: [leaf.certificate],
    chainPeriod: { from: startOf(certificateIn(leaf.certificate)), until: leaf.expires_at },
    signsDocuments: true,
    anchor: authority?.toString(),
    published,
    changesAt: rows.find(({ origin, active_from }) => origin === 'made' && active_from > now)?.active_from,
  };
}

export function createIssuerKeys(deps: IssuerKeysDeps) {
  const { db, clock, change, issuer, brought } = deps;
  let lookAgainAt = 0;
  const rings = db.cached<Ring>({
    name: 'issuer_keys',
    limit: 4,
    tags: () => [ISSUER_KEYS_TAG],
    expiry: { clock, at: ({ changesAt = Number.POSITIVE_INFINITY }) => changesAt * 1000 },
  });

  /** Keys that sign no more, and whose signatures nobody needs to check any more. */
  async function unneeded(reader: Reader, rows: readonly IssuerKeyRow[]): Promise<string[]> {
    const now = seconds(clock);
    const active = activeAmong(deps, rows);
    const gone: string[] = [];
    for (const row of rows) {
      if (!isPublished(row) || row.id === active?.id || row.last_active_at + KEEP_SECONDS >= now) continue;
      if (!(await isAnyValid(reader, row.last_active_at + KEEP_SECONDS, now))) gone.push(row.id);
    }
    return gone;
  }

  async function removeUnneeded(): Promise<number> {
    return change(serviceActor, async ({ tx, audit, invalidate }) => {
      await takeAdvisoryLock(db, tx, ISSUER_KEYS_TAG);
      const keys = await unneeded(tx, await readKeys(tx));
      await deleteKeys(tx, keys);
      audit('issuer_keys.removed', { kind: 'issuer_keys', id: ISSUER_KEYS_TAG }, { keys });
      invalidate(ISSUER_KEYS_TAG);
      return keys.length;
    });
  }

  return {
    ring: async (): Promise<Ring> =>
      (await rings.getOrLoad(issuer(), async () => {
        const found = await readRing(deps);
        if (found) return found;
        await completeIssuer(deps);
        return readRing(deps);
      })) ?? fail('key.issuer_unavailable'),

    /** By these its signatures are known: those of its own authorities, or the one that a setting brings. Makes nothing. */
    async certificates(): Promise<X509Certificate[]> {
      const own = (await readKeys(db.read)).filter((row) => !isPublished(row)).map((row) => certificateIn(row.certificate!));
      return brought ? [...own, certificateIn(brought.chain[0]!)] : own;
    },

    /** With which it signs now: its chain, or its own certificate and all its authorities. Makes nothing. */
    async inUse(): Promise<{ readonly renews: boolean; readonly certificates: readonly X509Certificate[] }> {
      if (brought) return { renews: false, certificates: brought.chain.map(certificateIn) };
      const rows = await readKeys(db.read);
      const active = activeAmong(deps, rows);
      const leaf = active && (await findCertificate(db.read, active.id, issuer()));
      const authorities = rows.filter((row) => !isPublished(row)).map((row) => row.certificate!);
      return { renews: true, certificates: [...(leaf ? [leaf.certificate] : []), ...authorities].map(certificateIn) };
    },

    /** Adds a successor, which signs in an hour. What the replaced key signed stays valid. */
    async rotate({ actor = serviceActor, unlessAnnounced = false }: IssuerKeyRotation = {}): Promise<void> {
      if (brought) fail('key.issuer_brought');
      const now = seconds(clock);
      const { row } = await makeKey(deps, 'made', now + ANNOUNCE_SECONDS);
      await change(actor, async ({ tx, audit, invalidate }) => {
        await takeAdvisoryLock(db, tx, ISSUER_KEYS_TAG);
        const rows = (await readKeys(tx)).filter(isPublished);
        if (unlessAnnounced && rows.some(({ active_from }) => active_from > now)) fail('key.announced', { kind: 'issuer' });
        if (rows.length >= MAX_KEYS) fail('key.issuer_limit', { most: MAX_KEYS });
        await insertKey(tx, row);
        invalidate(ISSUER_KEYS_TAG);
        audit('issuer_keys.rotated', { kind: 'issuer_keys', id: row.id });
      });
    },

    /** Says which key is in use, and removes those that nobody needs. Returns how many. */
    async sweep(): Promise<number> {
      const now = seconds(clock);
      const rows = await readKeys(db.read);
      const active = activeAmong(deps, rows);
      if (active && active.last_active_at < now - HOUR) await db.write((tx) => markActive(tx, active.id, now));
      // With a million credentials it takes a while to find out.
      if (now < lookAgainAt) return 0;
      lookAgainAt = now + HOUR;
      return (await unneeded(db.read, rows)).length === 0 ? 0 : removeUnneeded();
    },

    /** Without the keys themselves, the oldest first. */
    list: async () =>
      (await readKeys(db.read))
        .filter(isPublished)
        .map(({ id, active_from }) => ({ id, algorithm: 'ES256', activeFrom: active_from })),
  };
}

export type IssuerKeys = ReturnType<typeof createIssuerKeys>;
