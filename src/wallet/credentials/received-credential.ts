// Stores a received and verified credential with its copies.

import type { VerifiedCredential } from '../../verifiable/formats/index.ts';
import { ownerTag } from '../access/index.ts';
import type { CredentialInstanceRow, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { insertInstances } from './copies.store.ts';
import { type CopyContent, type CredentialContent, credentialSealContext, instanceSealContext } from './credential-content.ts';
import { insertCredential, keyStates } from './credentials.store.ts';
import type { StoredCredentialDeps } from './deps.ts';
import type { Description } from './display.ts';
import type { Logo } from './logo.ts';

/** A copy with the key and DID it is bound to. */
export interface ReceivedCopy {
  readonly raw: unknown;
  readonly credential: VerifiedCredential;
  readonly boundTo: { readonly keyId: string; readonly did?: { readonly id: string; readonly url: string } } | undefined;
}

export interface ReceivedCredential {
  /** The id for the new row. */
  readonly id: string;
  readonly configuration: { readonly id: string; readonly raw: Readonly<Record<string, unknown>> };
  readonly copies: readonly ReceivedCopy[];
  /** The credential issuer that sent it. */
  readonly from: { readonly address: string; readonly name?: string; readonly logo?: Logo };
  /** Read before, since it may be at another address. */
  readonly description: Description;
}

type StoreDeps = Pick<StoredCredentialDeps, 'clock' | 'seal' | 'dids'>;

/** The credential is valid while all of its copies are valid. */
const defined = (times: readonly (number | undefined)[]): number[] => times.filter((time) => time !== undefined);
const latest = (times: readonly (number | undefined)[]): number | null => defined(times).sort((a, b) => b - a)[0] ?? null;
const earliest = (times: readonly (number | undefined)[]): number | null => defined(times).sort((a, b) => a - b)[0] ?? null;

/** Drops copies whose key was revoked meanwhile. */
async function usable(
  { tx }: WalletChange,
  owner: string,
  received: readonly ReceivedCopy[],
): Promise<[ReceivedCopy, ...ReceivedCopy[]]> {
  const states = await keyStates(
    tx,
    owner,
    received.flatMap(({ boundTo }) => boundTo?.keyId ?? []),
  );
  const [first, ...others] = received.filter(({ boundTo }) => !boundTo || (states.get(boundTo.keyId) ?? 'revoked') !== 'revoked');
  if (!first)
    fail('credential-rejected', { why: 'the key it is bound to was revoked' }, { detail: { reasons: ['key-revoked'] } });
  return [first, ...others];
}

function contentOf(
  { credential, boundTo }: ReceivedCopy,
  { configuration, from, description }: ReceivedCredential,
): CredentialContent {
  const metadata = configuration.raw.credential_metadata as { display?: unknown } | undefined;
  const display = [metadata?.display ?? configuration.raw.display].flat()[0];
  const isSigner = from.address === credential.issuer.id;
  return {
    types: credential.types,
    issuer: {
      id: credential.issuer.id,
      // The self-declared name and logo are used only if the credential issuer is also the signer.
      ...(isSigner && from.name !== undefined ? { name: from.name } : {}),
      ...(isSigner && from.logo ? { logo: from.logo } : {}),
      verified: true,
      trust: credential.issuer.trust,
    },
    ...(credential.subject === undefined ? {} : { subject: credential.subject }),
    claims: credential.claims,
    ...(typeof display === 'object' && display !== null ? { display: display as Record<string, unknown> } : {}),
    description,
    credentialIssuer: from.address,
    credentialConfigurationId: configuration.id,
    ...(credential.authorityKeyIds ? { authorityKeyIds: credential.authorityKeyIds } : {}),
    ...(boundTo?.did ? { didUrl: boundTo.did.url } : {}),
  };
}

function instanceOf({ seal }: StoreDeps, owner: string, id: string, copy: ReceivedCopy, at: number): CredentialInstanceRow {
  const instance = `${id}.${String(at).padStart(3, '0')}`;
  const content: CopyContent = { raw: copy.raw, ...(copy.credential.status ? { status: copy.credential.status } : {}) };
  return {
    id: instance,
    credential_id: id,
    owner,
    key_id: copy.boundTo?.keyId ?? null,
    sealed: seal.seal(Buffer.from(JSON.stringify(content)), instanceSealContext({ owner, id: instance })),
  };
}

/** Runs within the change that saves the exchange. */
export async function storeReceived(
  deps: StoreDeps,
  transaction: WalletChange,
  owner: string,
  received: ReceivedCredential,
): Promise<void> {
  const { clock, seal, dids } = deps;
  const { tx, audit, invalidate } = transaction;
  const { id } = received;
  const copies = await usable(transaction, owner, received.copies);
  const [first] = copies;
  const { credential, boundTo } = first;
  await insertCredential(tx, {
    id,
    owner,
    format: credential.format,
    type: credential.type,
    issuer: credential.issuer.id,
    // The status is not fetched yet. Credentials without a status list are valid.
    status: credential.status ? 'unknown' : 'valid',
    status_checked_at: null,
    key_id: boundTo?.keyId ?? null,
    // The DID may have been deleted meanwhile. The credential is stored anyway, as when a DID is deleted later.
    did_id: boundTo?.did && (await dids.has(tx, owner, boundTo.did.id)) ? boundTo.did.id : null,
    binding: credential.binding.kind,
    valid_from: latest(copies.map((copy) => copy.credential.validFrom)),
    valid_until: earliest(copies.map((copy) => copy.credential.validUntil)),
    issued_at: credential.issuedAt ?? null,
    added_at: clock.now(),
    sealed: seal.seal(Buffer.from(JSON.stringify(contentOf(first, received))), credentialSealContext({ owner, id })),
  });
  await insertInstances(
    tx,
    copies.map((copy, at) => instanceOf(deps, owner, id, copy, at)),
  );
  audit('credential.received', { kind: 'credential', id }, { format: credential.format, copies: copies.length });
  invalidate(ownerTag(owner));
}
