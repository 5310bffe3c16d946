// The keys of the issuer of credentials. A key is announced before it signs, and is published as long as anything that it signed can be valid, so
// that a rotation invalidates nothing.
import { createPrivateKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import { seconds } from '../../platform/clock.ts';
import { takeAdvisoryLock } from '../../platform/database/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { generatePair, publicJwkOf, thumbprintOf } from '../../verifiable/jose/index.ts';
import { type Change, serviceActor } from '../audit/index.ts';
import type { IssuerCertificateRow, IssuerKeyRow } from '../database.ts';
import type { Deps } from '../resource/index.ts';
import { type Authority, makeAuthority, makeLeaf } from './certificates.ts';
import { findCertificate, insertKey, readKeys, replaceCertificate } from './keys.store.ts';

export const ISSUER_KEYS_TAG = 'issuer_keys';
const DAY = 86_400;
/** Nothing that is issued lives longer. */
export const MAX_VALIDITY_SECONDS = 5 * 366 * DAY;
const LEAF_SECONDS = 2 * MAX_VALIDITY_SECONDS;
const AUTHORITY_SECONDS = 3 * LEAF_SECONDS;
/** Clocks of verifiers may be behind. */
const BEFORE_SECONDS = 3600;

export type IssuerKeysDeps = Pick<Deps, 'db' | 'clock' | 'change'> & { readonly seal: Seal; issuer(): string };

export type IssuerPublicKey = JsonWebKey & { readonly kid: string; readonly alg: 'ES256'; readonly use: 'sig' };

export interface Ring {
  readonly active: { readonly id: string; readonly key: KeyObject };
  /** Leaf first, without the root. */
  readonly chain: readonly string[];
  readonly chainUntil: number;
  readonly anchor: string | undefined;
  readonly published: readonly IssuerPublicKey[];
  /** When the next key becomes active (seconds). */
  readonly changesAt: number | undefined;
}

const sealContextOf = (id: string): string => `issuer_keys/${id}`;

const publicOf = ({ id, public_key }: IssuerKeyRow): IssuerPublicKey => ({
  ...(JSON.parse(public_key) as IssuerPublicKey),
  kid: id,
  alg: 'ES256',
  use: 'sig',
});

export function createIssuerKeys({ db, clock, change, seal, issuer }: IssuerKeysDeps) {
  const open = (row: IssuerKeyRow): KeyObject =>
    createPrivateKey({ key: JSON.parse(seal.open(row.sealed!, sealContextOf(row.id)).toString()) as never, format: 'jwk' });

  async function makeKey(origin: IssuerKeyRow['origin'], activeFrom: number): Promise<{ row: IssuerKeyRow; key: KeyObject }> {
    const key = await generatePair('ES256');
    const id = thumbprintOf(publicJwkOf(key));
    const row: IssuerKeyRow = {
      id,
      origin,
      public_key: JSON.stringify(publicJwkOf(key)),
      sealed: seal.seal(Buffer.from(JSON.stringify(key.export({ format: 'jwk' }))), sealContextOf(id)),
      certificate: null,
      created_at: seconds(clock),
      active_from: activeFrom,
      last_active_at: activeFrom,
    };
    return { row, key };
  }

  const isActive = (row: IssuerKeyRow): boolean => row.origin === 'made' && row.active_from <= seconds(clock);

  /** A new certificate is made in time: what is signed today may be checked until `MAX_VALIDITY_SECONDS` from now. */
  const isFresh = (leaf: IssuerCertificateRow | undefined): leaf is IssuerCertificateRow =>
    leaf !== undefined && leaf.expires_at >= seconds(clock) + MAX_VALIDITY_SECONDS;

  /** The authority that outlives a new leaf; made if there is none. */
  async function authorityIn({ tx, audit }: Change, rows: readonly IssuerKeyRow[]): Promise<Authority> {
    const now = seconds(clock);
    const last = rows.filter(({ origin }) => origin === 'authority').at(-1);
    if (last) {
      const certificate = new X509Certificate(Buffer.from(last.certificate!, 'base64'));
      if (certificate.validToDate.getTime() / 1000 > now + LEAF_SECONDS) return { certificate, key: open(last) };
    }
    const { row, key } = await makeKey('authority', now);
    const certificate = makeAuthority(key, { from: now - BEFORE_SECONDS, until: now + AUTHORITY_SECONDS });
    await insertKey(tx, { ...row, certificate: certificate.raw.toString('base64') });
    audit('issuer_authority.made', { kind: 'issuer_keys', id: row.id });
    return { certificate, key };
  }

  /** Makes what is missing: the first key, and the certificate of the active key for this address. */
  async function complete(): Promise<void> {
    await change(serviceActor, async (transaction) => {
      const { tx, audit, invalidate } = transaction;
      await takeAdvisoryLock(db, tx, ISSUER_KEYS_TAG);
      const now = seconds(clock);
      const rows = await readKeys(tx);
      let active = rows.filter(isActive).at(-1);
      if (!active) {
        active = (await makeKey('made', now)).row;
        await insertKey(tx, active);
      }
      audit('issuer_keys.made', { kind: 'issuer_keys', id: active.id }, { issuer: issuer() });
      // Another process was first.
      if (isFresh(await findCertificate(tx, active.id, issuer()))) return;
      const authority = await authorityIn(transaction, rows);
      const expiresAt = now + LEAF_SECONDS;
      const leaf = makeLeaf(authority, open(active), issuer(), { from: now - BEFORE_SECONDS, until: expiresAt });
      await replaceCertificate(tx, {
        id: newId(),
        key_id: active.id,
        issuer: issuer(),
        certificate: leaf.raw.toString('base64'),
        expires_at: expiresAt,
      });
      invalidate(ISSUER_KEYS_TAG);
    });
  }

  async function read(): Promise<Ring | undefined> {
    const now = seconds(clock);
    const rows = await readKeys(db.read);
    const active = rows.filter(isActive).at(-1);
    const leaf = active && (await findCertificate(db.read, active.id, issuer()));
    if (!active || !isFresh(leaf)) return undefined;
    const certificate = new X509Certificate(Buffer.from(leaf.certificate, 'base64'));
    const authority = rows
      .filter(({ origin }) => origin === 'authority')
      .map((row) => new X509Certificate(Buffer.from(row.certificate!, 'base64')))
      .find((one) => certificate.verify(one.publicKey));
    const waiting = rows.filter(({ origin, active_from }) => origin === 'made' && active_from > now);
    return {
      active: { id: active.id, key: open(active) },
      chain: [leaf.certificate],
      chainUntil: leaf.expires_at,
      anchor: authority?.toString(),
      published: rows.filter(({ origin }) => origin !== 'authority').map(publicOf),
      changesAt: waiting[0]?.active_from,
    };
  }

  return {
    async ring(): Promise<Ring> {
      const found = await read();
      if (found) return found;
      await complete();
      return (await read())!;
    },
  };
}

export type IssuerKeys = ReturnType<typeof createIssuerKeys>;
