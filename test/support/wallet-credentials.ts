// Stores credentials in a wallet, as a finished issuance would.
import { newUlid } from '../../src/platform/ids.ts';
import { createSeal } from '../../src/platform/seal/index.ts';
import { ownerOf } from '../../src/wallet/access/caller.ts';
import { actAs } from '../../src/wallet/access/owners.store.ts';
import { insertInstances } from '../../src/wallet/credentials/copies.store.ts';
import { insertCredential } from '../../src/wallet/credentials/credentials.store.ts';
import { type CredentialContent, credentialSealContext, instanceSealContext } from '../../src/wallet/credentials/index.ts';
import type { CredentialRow } from '../../src/wallet/ground/database.ts';
import type { WalletUser } from './wallet.ts';

/** The owner id of a test user. */
export const ownerOfPerson = ({ wallet, name }: WalletUser): string => ownerOf(wallet.provider.issuer, name);

const HELD: CredentialContent = {
  types: ['https://types.example/pid'],
  issuer: { id: 'https://issuer.example', name: 'The issuer', verified: true, trust: 'anchor' },
  claims: { given_name: 'Ada', address: { country: 'ES' } },
  credentialIssuer: 'https://issuer.example',
  credentialConfigurationId: 'pid',
};

/** Two copies of each. */
const RAW = ['eyJ.one.~', 'eyJ.two.~'];

/** A stored row: sealed for its owner and id. */
export function credentialRow(
  person: WalletUser,
  row: Partial<CredentialRow> = {},
  held: Partial<CredentialContent> = {},
): CredentialRow {
  const { wallet } = person;
  const [owner, id] = [ownerOfPerson(person), `cred_${newUlid(wallet.clock.now())}`];
  const plain = Buffer.from(JSON.stringify({ ...HELD, ...held }));
  return {
    id,
    owner,
    format: 'dc+sd-jwt',
    type: 'https://types.example/pid',
    issuer: 'https://issuer.example',
    status: 'valid',
    status_checked_at: null,
    key_id: null,
    did_id: null,
    binding: 'none',
    valid_from: null,
    valid_until: null,
    issued_at: null,
    added_at: wallet.clock.now(),
    sealed: createSeal([wallet.masterKey]).seal(plain, credentialSealContext({ owner, id })),
    ...row,
  };
}

const copiesOf = ({ wallet }: WalletUser, { id: credential, owner, key_id }: CredentialRow) =>
  RAW.map((raw, at) => {
    const id = `${credential}.${at}`;
    const sealed = createSeal([wallet.masterKey]).seal(Buffer.from(JSON.stringify({ raw })), instanceSealContext({ owner, id }));
    return { id, credential_id: credential, owner, key_id, sealed };
  });

export async function storeCredentials(person: WalletUser, rows: readonly CredentialRow[]): Promise<void> {
  const db = await person.wallet.database();
  try {
    await db.write(async (tx) => {
      await actAs(db, tx, ownerOfPerson(person));
      for (const row of rows) {
        await insertCredential(tx, row);
        await insertInstances(tx, copiesOf(person, row));
      }
    });
  } finally {
    await db.close();
  }
}

/** Returns its id. */
export async function storeCredential(
  person: WalletUser,
  row: Partial<CredentialRow> = {},
  held: Partial<CredentialContent> = {},
): Promise<string> {
  const whole = credentialRow(person, row, held);
  await storeCredentials(person, [whole]);
  return whole.id;
}
