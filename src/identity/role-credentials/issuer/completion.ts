// Makes what the issuer lacks when it is first used: a key, the development CA, and the certificate of the active key.
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type Authority, loadCertificateMaking } from '../../../verifiable/trust/index.ts';
import { type Change, serviceActor } from '../../ground/audit/index.ts';
import type { IssuerKeyRow } from '../../ground/database/index.ts';
import {
  activeAmong,
  certificateIn,
  DOCUMENT_SIGNER,
  DOCUMENT_SIGNING,
  HOUR,
  ISSUER_KEYS_TAG,
  type IssuerKeysDeps,
  isFresh,
  MAX_VALIDITY_SECONDS,
  makeKey,
  openKey,
} from './key-material.ts';
import { findCertificate, insertKey, readKeys, replaceCertificate } from './keys.store.ts';

const LEAF_SECONDS = 2 * MAX_VALIDITY_SECONDS;
const AUTHORITY_SECONDS = 3 * LEAF_SECONDS;

/** The authority that outlives a new leaf; made if there is none. The caller has the lock of the keys. */
export async function authorityIn(
  deps: Pick<IssuerKeysDeps, 'clock' | 'seal'>,
  { tx, audit }: Pick<Change, 'tx' | 'audit'>,
  rows: readonly IssuerKeyRow[],
): Promise<Authority> {
  const { makeAuthority, signerOf } = await loadCertificateMaking();
  const now = seconds(deps.clock);
  const last = rows.filter(({ origin }) => origin === 'authority').at(-1);
  if (last) {
    const certificate = certificateIn(last.certificate!);
    if (certificate.validToDate.getTime() / 1000 > now + LEAF_SECONDS)
      return { certificate, ...signerOf(openKey(deps.seal, last)) };
  }
  const { row, key } = await makeKey(deps, 'authority', now);
  const certificate = await makeAuthority(signerOf(key), 'Gatehouse', { from: now - HOUR, until: now + AUTHORITY_SECONDS });
  await insertKey(tx, { ...row, certificate: certificate.raw.toString('base64') });
  audit('issuer_authority.made', { kind: 'issuer_keys', id: row.id });
  return { certificate, ...signerOf(key) };
}

/** The first key; of one that a setting brings only the public part, which is published from now on. */
async function insertFirst(deps: IssuerKeysDeps, { tx }: Change): Promise<IssuerKeyRow> {
  const { brought, clock } = deps;
  const now = seconds(clock);
  const row: IssuerKeyRow = brought
    ? {
        id: brought.id,
        origin: 'brought',
        public_key: JSON.stringify(brought.publicKey),
        sealed: null,
        certificate: null,
        created_at: now,
        active_from: now,
        last_active_at: now,
      }
    : (await makeKey(deps, 'made', now)).row;
  await insertKey(tx, row);
  return row;
}

/** Processes wait for each other, and make everything once. */
export async function completeIssuer(deps: IssuerKeysDeps): Promise<void> {
  const { db, clock, change, seal, brought } = deps;
  const issuer = deps.issuer();
  await change(serviceActor, async (transaction) => {
    const { tx, audit, invalidate } = transaction;
    await takeAdvisoryLock(db, tx, ISSUER_KEYS_TAG);
    const now = seconds(clock);
    const rows = await readKeys(tx);
    const active = activeAmong(deps, rows) ?? (await insertFirst(deps, transaction));
    audit('issuer_keys.made', { kind: 'issuer_keys', id: active.id }, { origin: active.origin, issuer });
    invalidate(ISSUER_KEYS_TAG);
    // A chain was brought, or another process was first.
    if (brought || isFresh(await findCertificate(tx, active.id, issuer), now)) return;
    const authority = await authorityIn(deps, transaction, rows);
    const until = now + LEAF_SECONDS;
    const { makeLeaf } = await loadCertificateMaking();
    const draft = { key: openKey(seal, active), address: issuer, usages: [DOCUMENT_SIGNING, DOCUMENT_SIGNER] };
    const leaf = await makeLeaf(authority, draft, { from: now - HOUR, until });
    const certificate = leaf.raw.toString('base64');
    await replaceCertificate(tx, { id: newId(), key_id: active.id, issuer, certificate, expires_at: until });
  });
}
