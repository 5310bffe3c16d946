// Keys of the issuer as they are stored, sealed, and as they are used.
import { createPrivateKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { generatePair, publicJwkOf, thumbprintOf } from '../../../verifiable/jose/index.ts';
import type { IssuerCertificateRow, IssuerKeyRow } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { BroughtKey } from './brought.ts';

export const ISSUER_KEYS_TAG = 'issuer_keys';
export const HOUR = 3600;
export const DAY = 24 * HOUR;
/** Nothing that is issued lives longer. */
export const MAX_VALIDITY_SECONDS = 5 * 366 * DAY;

export interface IssuerKeysDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly seal: Seal;
  readonly brought?: BroughtKey | undefined;
  issuer(): string;
}

export type IssuerPublicKey = JsonWebKey & { readonly kid: string; readonly alg: 'ES256'; readonly use: 'sig' };

const TABLE = 'issuer_keys';

/** Authorities only sign certificates. */
export const isPublished = ({ origin }: IssuerKeyRow): boolean => origin !== 'authority';
export const certificateIn = (text: string): X509Certificate => new X509Certificate(Buffer.from(text, 'base64'));

export const publicOf = ({ id, public_key }: IssuerKeyRow): IssuerPublicKey => ({
  ...(JSON.parse(public_key) as IssuerPublicKey),
  kid: id,
  alg: 'ES256',
  use: 'sig',
});

/** Bound to its table and row. */
export const sealedKey = (seal: Seal, table: string, id: string, key: KeyObject): string =>
  seal.seal(Buffer.from(JSON.stringify(key.export({ format: 'jwk' }))), `${table}/${id}`);

export const keyFrom = (seal: Seal, table: string, id: string, sealed: string): KeyObject =>
  createPrivateKey({ key: JSON.parse(seal.open(sealed, `${table}/${id}`).toString()) as never, format: 'jwk' });

export const openKey = (seal: Seal, { id, sealed }: IssuerKeyRow): KeyObject => keyFrom(seal, TABLE, id, sealed!);

export async function makeKey(
  { seal, clock }: Pick<IssuerKeysDeps, 'seal' | 'clock'>,
  origin: IssuerKeyRow['origin'],
  activeFrom: number,
): Promise<{ row: IssuerKeyRow; key: KeyObject }> {
  const key = await generatePair('ES256');
  const id = thumbprintOf(publicJwkOf(key));
  const row: IssuerKeyRow = {
    id,
    origin,
    public_key: JSON.stringify(publicJwkOf(key)),
    sealed: sealedKey(seal, TABLE, id, key),
    certificate: null,
    created_at: seconds(clock),
    active_from: activeFrom,
    last_active_at: activeFrom,
  };
  return { row, key };
}

/** The key with which this process signs, of rows in the order of their activation. */
export function activeAmong(
  { brought, clock }: Pick<IssuerKeysDeps, 'brought' | 'clock'>,
  rows: readonly IssuerKeyRow[],
): IssuerKeyRow | undefined {
  if (brought) return rows.find(({ id }) => id === brought.id);
  return rows.filter((row) => row.origin === 'made' && row.active_from <= seconds(clock)).at(-1);
}

/** The usage of certificates that sign credentials and status lists, which are documents (RFC 9336). */
export const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36';

/** The usage of certificates that sign mobile documents (ISO/IEC 18013-5, B.1.4). */
export const DOCUMENT_SIGNER = '1.0.18013.5.1.2';

/** The usage of certificates that sign requests to wallets (ISO/IEC 18013-5, B.1.7). */
export const READER = '1.0.18013.5.1.6';

/**
 * A new certificate is made in time: what is signed today may be checked until `MAX_VALIDITY_SECONDS` from now. Those of earlier versions sign no
 * documents, or requests to wallets as well.
 */
export function isFresh(leaf: IssuerCertificateRow | undefined, now: number): leaf is IssuerCertificateRow {
  if (leaf === undefined || leaf.expires_at < now + MAX_VALIDITY_SECONDS) return false;
  const usages = certificateIn(leaf.certificate).keyUsage ?? [];
  return usages.includes(DOCUMENT_SIGNER) && !usages.includes(READER);
}
