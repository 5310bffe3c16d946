// The identity with which this service asks wallets: a key and a certificate of its own, so that no request could pass for a credential. They are
// brought by settings, or made below the development CA. Nothing is published: each request brings its chain, and is good for some minutes.
import type { KeyObject, X509Certificate } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { signJws, signWith } from '../../../verifiable/jose/index.ts';
import { loadCertificateMaking, startOf } from '../../../verifiable/trust/index.ts';
import { type Actor, type Change, serviceActor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { BroughtKey } from './brought.ts';
import { authorityIn } from './completion.ts';
import type { IssuerIdentity } from './issuer.ts';
import {
  certificateIn,
  DAY,
  HOUR,
  ISSUER_KEYS_TAG,
  type IssuerKeysDeps,
  keyFrom,
  makeKey,
  READER,
  sealedKey,
} from './key-material.ts';
import { readKeys } from './keys.store.ts';
import { newestVerifierKey, replaceVerifierKey } from './verifier-keys.store.ts';

const TAG = 'verifier_keys';
const TABLE = 'verifier_keys';
/** As certificates of readers live (ISO/IEC 18013-5, B.1.7: at most 1187 days), and when the next one is made. */
const LEAF_SECONDS = 398 * DAY;
const RENEW_SECONDS = 60 * DAY;

export interface VerifierKeysDeps extends Omit<IssuerKeysDeps, 'brought'> {
  readonly brought?: BroughtKey | undefined;
  /** Of an operator who brought one chain for both. */
  readonly issuerChain?: Pick<IssuerIdentity, 'chain' | 'sign'> | undefined;
}

interface Signing {
  readonly id: string;
  readonly key: KeyObject;
  /** Leaf first, without the root. */
  readonly chain: readonly string[];
  readonly from: number;
  readonly until: number;
  readonly anchor: string | undefined;
}

/** What is needed to ask wallets. */
export interface RequestSigner {
  /** Leaf first, DER in base64. */
  chain(): Promise<readonly string[]>;
  /** Whether its certificate names the host of the service. */
  namesHost(): boolean;
  /** A compact JWS with the chain. */
  sign(payload: Readonly<Record<string, unknown>>, header: { readonly typ: string }): Promise<string>;
}

/** As long as it is long enough until its end. */
const isFresh = (expiresAt: number, now: number): boolean => expiresAt > now + RENEW_SECONDS;

async function makeSigning(deps: VerifierKeysDeps, { tx, audit, invalidate }: Change, action: 'made' | 'rotated'): Promise<void> {
  const now = seconds(deps.clock);
  const issuer = deps.issuer();
  const authority = await authorityIn(deps, { tx, audit }, await readKeys(tx));
  const { row, key } = await makeKey(deps, 'made', now);
  const until = now + LEAF_SECONDS;
  const { makeLeaf } = await loadCertificateMaking();
  const leaf = await makeLeaf(authority, { key, address: issuer, usages: [READER] }, { from: now - HOUR, until });
  const certificate = leaf.raw.toString('base64');
  const sealed = sealedKey(deps.seal, TABLE, row.id, key);
  await replaceVerifierKey(tx, { id: row.id, issuer, sealed, certificate, created_at: now, expires_at: until });
  invalidate(TAG);
  audit(`verifier_keys.${action}`, { kind: 'verifier_keys', id: row.id });
}

async function read(deps: VerifierKeysDeps): Promise<Signing | undefined> {
  const { db, clock, seal, brought } = deps;
  if (brought) return { ...brought, anchor: undefined };
  const row = await newestVerifierKey(db.read, deps.issuer());
  if (!row || !isFresh(row.expires_at, seconds(clock))) return undefined;
  const leaf = certificateIn(row.certificate);
  const authorities = (await readKeys(db.read)).flatMap(({ certificate }) =>
    certificate === null ? [] : certificateIn(certificate),
  );
  const anchor = authorities.find((one) => leaf.verify(one.publicKey));
  return {
    id: row.id,
    key: keyFrom(seal, TABLE, row.id, row.sealed),
    chain: [row.certificate],
    from: startOf(leaf),
    until: row.expires_at,
    anchor: anchor?.toString(),
  };
}

export function createVerifierKeys(deps: VerifierKeysDeps) {
  const { db, clock, change, issuer, brought, issuerChain } = deps;
  const signings = db.cached<Signing>({
    name: 'verifier_keys',
    limit: 4,
    tags: () => [TAG, ISSUER_KEYS_TAG],
    expiry: { clock, at: ({ until }) => (brought ? Number.POSITIVE_INFINITY : (until - RENEW_SECONDS) * 1000) },
  });
  /** Processes wait for each other, and make it once. */
  const complete = (): Promise<void> =>
    change(serviceActor, async (transaction) => {
      await takeAdvisoryLock(db, transaction.tx, ISSUER_KEYS_TAG);
      const row = await newestVerifierKey(transaction.tx, issuer());
      if (!row || !isFresh(row.expires_at, seconds(clock))) await makeSigning(deps, transaction, 'made');
      // Another process was first. This change still has to say something.
      else transaction.audit('verifier_keys.made', { kind: 'verifier_keys', id: row.id });
    });
  const signing = async (): Promise<Signing> =>
    (await signings.getOrLoad(issuer(), async () => {
      const found = await read(deps);
      if (found) return found;
      await complete();
      return read(deps);
    })) ?? fail('key.issuer_unavailable');

  const signer: RequestSigner = issuerChain
    ? {
        chain: issuerChain.chain,
        namesHost: () => true,
        sign: (payload, { typ }) => issuerChain.sign(payload, { typ, by: 'x5c' }),
      }
    : {
        namesHost: () => brought?.namesHost ?? true,
        chain: async () => (await signing()).chain,
        async sign(payload, { typ }) {
          const { id, key, chain } = await signing();
          const header = { alg: 'ES256', typ, kid: id, x5c: chain };
          return signJws(header, payload, (data) => signWith(key, 'ES256', data));
        },
      };

  return {
    signer,
    /** For wallets that have to trust it. `anchor`: that of the development CA, in PEM. */
    async shown(): Promise<{ readonly chain: readonly string[]; readonly until: number; readonly anchor: string | undefined }> {
      if (!issuerChain) return signing();
      const chain = await issuerChain.chain();
      const until = Math.min(...chain.map((der) => certificateIn(der).validToDate.getTime())) / 1000;
      return { chain, until, anchor: undefined };
    },

    /** With which it asks now; none where that is the issuer's. Makes nothing. */
    async inUse(): Promise<{ readonly renews: boolean; readonly certificates: readonly X509Certificate[] }> {
      if (issuerChain) return { renews: false, certificates: [] };
      if (brought) return { renews: false, certificates: brought.chain.map(certificateIn) };
      const row = await newestVerifierKey(db.read, issuer());
      return { renews: true, certificates: row ? [certificateIn(row.certificate)] : [] };
    },

    /** Without the key itself. */
    async list() {
      if (issuerChain) return [];
      const row = brought ?? (await newestVerifierKey(db.read, issuer()));
      return row ? [{ id: row.id, algorithm: 'ES256', activeFrom: 'from' in row ? row.from : row.created_at }] : [];
    },

    /** At once: nobody has to know it before. */
    async rotate(actor: Actor = serviceActor): Promise<void> {
      if (brought || issuerChain) fail('key.verifier_brought');
      await change(actor, async (transaction) => {
        await takeAdvisoryLock(db, transaction.tx, ISSUER_KEYS_TAG);
        await makeSigning(deps, transaction, 'rotated');
      });
    },
  };
}

export type VerifierKeys = ReturnType<typeof createVerifierKeys>;
