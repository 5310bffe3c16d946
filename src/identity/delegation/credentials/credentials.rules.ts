// Credentials: stored encrypted, shown to their owner and to administrators.

import { type Clock, seconds } from '../../../platform/clock.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { findProject, tagOf } from '../../access/context/index.ts';
import {
  type Caller,
  type FreshLogin,
  type IdentityTarget,
  isAdministrator,
  permit,
  systemReaderOfCredentials,
  targetOf,
} from '../../access/rules/index.ts';
import { fromBase32, type LoginRequirements, matchingStep } from '../../directory/two-factor/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { CredentialRow, Database, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  criteriaOf,
  type Deps,
  extraOf,
  type Filters,
  failOnBrokenReference,
  foundPage,
  mergeExtra,
  pageOf,
} from '../../ground/resource/index.ts';
import { checkContent, checkSameDelegation, EC2, idOfAccessKey, isEc2, readEc2Blob, sealContext, TOTP } from './content.ts';
import {
  type CreateCredential,
  credentialFields,
  type DecryptedCredential,
  type UpdateCredential,
} from './credentials.schema.ts';
import {
  acceptCredentialStep,
  countCredentials,
  credentialsOf,
  deleteCredential,
  deleteCredentialsOf,
  findCredential,
  insertCredential,
  listCredentials,
  lockCredential,
  updateCredential,
  type VisibleCredentials,
} from './credentials.store.ts';

type NewCredential = Static<typeof CreateCredential>['credential'];
type CredentialChanges = Static<typeof UpdateCredential>['credential'];

const filters: Filters = {
  user_id: { column: 'credentials.user_id', kind: 'text' },
  type: { column: 'credentials.type', kind: 'text' },
};

const decryptWith = (seal: Seal, row: CredentialRow): DecryptedCredential => ({
  ...row,
  plain: seal.open(row.blob, sealContext(row.id)).toString(),
});

/** The credential after a change. */
function revised(
  { seal, clock }: { readonly seal: Seal; readonly clock: Clock },
  row: CredentialRow,
  body: CredentialChanges,
): DecryptedCredential {
  const type = body.type ?? row.type;
  const before = decryptWith(seal, row).plain;
  const plain = body.blob ?? before;
  const projectId = body.project_id === undefined ? row.project_id : body.project_id;
  checkContent({ type, blob: plain, projectId });
  if (isEc2(row.type)) checkSameDelegation(before, plain);
  return {
    ...row,
    user_id: body.user_id ?? row.user_id,
    project_id: projectId,
    type,
    blob: seal.seal(Buffer.from(plain), sealContext(row.id)),
    extra: mergeExtra(row.extra, extraOf(body, credentialFields)),
    epoch: Math.max(row.epoch + 1, clock.now()),
    plain,
  };
}

/** Locks the credential. Fails when it was deleted or given to another user since the caller was allowed to change it. */
async function lockOwned(db: Database, tx: Tx, { id, user_id }: CredentialRow): Promise<CredentialRow> {
  const current = await lockCredential(db, tx, id);
  return current?.user_id === user_id ? current : fail('credential.not_found', { id });
}

function visibleTo(caller: Caller): VisibleCredentials {
  if (isAdministrator(caller)) return {};
  return systemReaderOfCredentials(caller, {}) ? { withoutTypeOfOthers: TOTP, reader: caller.userId } : { owner: caller.userId };
}

/** The access key of another credential. */
async function failOnDuplicate(id: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isUniqueViolation(error)) fail('resource.duplicate', { kind: 'credential', field: 'ID', value: id });
    throw error;
  }
}

/** For the audit event of a change: whose it was, and what for. */
const ownerOf = ({ user_id, project_id, type }: CredentialRow) => ({ user_id, project_id, type });

const tagOfKey = (id: string): string => tagOf.delegation({ kind: 'ec2', id });

/** By these, somebody proves to be the user, or a program acts for them. */
const PROOFS = [EC2, TOTP];

/** All keys of a user, or one of them; returns how many. */
export async function endKeys({ tx, audit, invalidate }: Change, userId: string, only?: string): Promise<number> {
  const ended = await deleteCredentialsOf(tx, userId, PROOFS, only);
  for (const row of ended) {
    invalidate(tagOfKey(row.id));
    audit('credential.deleted', { kind: 'credential', id: row.id }, ownerOf(row));
  }
  return ended.length;
}

export function createCredentials(
  deps: Pick<Deps, 'db' | 'clock' | 'change' | 'config'> & {
    readonly users: Users;
    readonly requirements: Pick<LoginRequirements, 'keepingSecond'>;
    seal: Seal;
    freshLogin: FreshLogin;
  },
) {
  const { db, clock, change, config, users, seal, freshLogin } = deps;
  const { keepingSecond } = deps.requirements;
  const decrypt = (row: CredentialRow): DecryptedCredential => decryptWith(seal, row);

  /**
   * Reading the key of an authenticator app needs a recent login, like changing it: the key gives all codes. A list with such a key is
   * refused as a whole, since leaving it out would look as if there were none.
   */
  async function decryptFor(caller: Caller, ...rows: readonly CredentialRow[]): Promise<DecryptedCredential[]> {
    if (rows.some(({ type, user_id }) => type === TOTP && user_id === caller.userId))
      await freshLogin.require(caller, caller.userId);
    return rows.map(decrypt);
  }

  const target = async (id: string): Promise<IdentityTarget<CredentialRow>> =>
    targetOf(
      await findCredential(db.read, id),
      ({ user_id, type }) => ({ userId: user_id, isSecondFactor: type === TOTP }),
      () => fail('credential.not_found', { id }),
    );

  /** The owner of a new credential. */
  function ownerTarget(caller: Caller, { user_id: userId = caller.userId }: NewCredential): IdentityTarget<string> {
    return { facts: { userId }, get: () => userId };
  }

  async function checkReferences(userId: string, projectId: string | null): Promise<void> {
    if (!(await users.find(userId))) fail('user.not_found', { id: userId });
    if (projectId !== null && !(await findProject(db.read, projectId))) fail('project.not_found', { id: projectId });
  }

  /** Before a user gets one more. */
  async function failAtLimit(tx: Tx, userId: string): Promise<void> {
    const limit = config.credentialLimit;
    if ((await countCredentials(tx, userId)) >= limit) fail('credential.limit', { limit });
  }

  async function create(caller: Caller, userId: string, body: NewCredential): Promise<DecryptedCredential> {
    await freshLogin.require(caller, userId);
    const projectId = body.project_id ?? null;
    checkContent({ type: body.type, blob: body.blob, projectId });
    await checkReferences(userId, projectId);
    const id = isEc2(body.type) ? idOfAccessKey(readEc2Blob(body.blob)!.access) : newId();
    const row: CredentialRow = {
      id,
      user_id: userId,
      project_id: projectId,
      type: body.type,
      blob: seal.seal(Buffer.from(body.blob), sealContext(id)),
      extra: JSON.stringify(extraOf(body, credentialFields)),
      last_step: 0,
      // Of a key that is made again after it was deleted, earlier tokens must not come back.
      epoch: clock.now(),
      created_at: seconds(clock),
    };
    await change(freshLogin.actorFor(caller, userId), async ({ tx, audit }) => {
      await failAtLimit(tx, userId);
      await failOnBrokenReference(
        () => fail('user.not_found', { id: userId }),
        () => failOnDuplicate(id, () => insertCredential(tx, row)),
      );
      audit('credential.created', { kind: 'credential', id }, { user_id: userId, type: row.type });
    });
    return { ...row, plain: body.blob };
  }

  async function update(caller: Caller, row: CredentialRow, body: CredentialChanges): Promise<DecryptedCredential> {
    const { id } = row;
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'credential' });
    const userId = body.user_id ?? row.user_id;
    // Giving it to another user counts as creating one for them.
    if (userId !== row.user_id) permit(caller, 'identity:create_credential', { userId });
    for (const owner of [row.user_id, userId]) await freshLogin.require(caller, owner);
    await checkReferences(userId, revised(deps, row, body).project_id);
    return change(freshLogin.actorFor(caller, row.user_id, userId), async ({ tx, audit, invalidate }) => {
      const [before, changed] = await keepingSecond(caller, tx, row.user_id, async () => {
        // Again with the locked row, so that concurrent updates do not overwrite each other.
        const locked = await lockOwned(db, tx, row);
        const next = revised(deps, locked, body);
        const { user_id, project_id, type, blob, extra, epoch } = next;
        if (user_id !== locked.user_id) await failAtLimit(tx, user_id);
        await failOnBrokenReference(
          () => fail('user.not_found', { id: user_id }),
          () => updateCredential(tx, id, { user_id, project_id, type, blob, extra, epoch }),
        );
        return [locked, next];
      });
      invalidate(tagOfKey(id));
      audit('credential.updated', { kind: 'credential', id }, { ...ownerOf(before), fields: Object.keys(body) });
      return changed;
    });
  }

  return {
    target,
    ownerTarget,
    async list(caller: Caller, query: Query) {
      const page = foundPage(query, await listCredentials(db, pageOf(query), criteriaOf(query, filters), visibleTo(caller)));
      return { ...page, items: await decryptFor(caller, ...page.items) };
    },
    /** Without their secrets. `name`: by which a program names an EC2 key. */
    async keysOf(userId: string): Promise<{ readonly row: CredentialRow; readonly name: string | undefined }[]> {
      const rows = await Promise.all(PROOFS.map((type) => credentialsOf(db.read, userId, type)));
      const nameOf = (row: CredentialRow) => (row.type === EC2 ? readEc2Blob(decrypt(row).plain)?.access : undefined);
      return rows.flat().map((row) => ({ row, name: nameOf(row) }));
    },
    get: async (caller: Caller, row: CredentialRow): Promise<DecryptedCredential> => (await decryptFor(caller, row))[0]!,
    decrypt,
    create,
    update,
    async remove(caller: Caller, row: CredentialRow): Promise<void> {
      const { id } = row;
      await freshLogin.require(caller, row.user_id);
      await change(freshLogin.actorFor(caller, row.user_id), async ({ tx, audit, invalidate }) => {
        const before = await keepingSecond(caller, tx, row.user_id, async () => {
          const locked = await lockOwned(db, tx, row);
          await deleteCredential(tx, id);
          return locked;
        });
        invalidate(tagOfKey(id));
        audit('credential.deleted', { kind: 'credential', id }, ownerOf(before));
      });
    },

    /** Whether a code is valid for one of the user's TOTP credentials. Each code is accepted once. Guesses are counted by the caller. */
    async acceptsCode({ tx }: Change, userId: string, code: string): Promise<boolean> {
      let [fresh, used] = [false, false];
      // Checks all of them, since several may have the same key.
      for (const row of await credentialsOf(tx, userId, TOTP)) {
        const key = fromBase32(decrypt(row).plain);
        const step = key && matchingStep(key, code, clock.now(), 0);
        if (step === undefined) continue;
        if (await acceptCredentialStep(tx, row.id, step)) fresh = true;
        else used = true;
      }
      return fresh && !used;
    },
  };
}

export type Credentials = ReturnType<typeof createCredentials>;
