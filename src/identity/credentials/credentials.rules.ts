// Credentials: stored encrypted, shown to their owner and to administrators.

import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Seal } from '../../platform/seal/index.ts';
import {
  actorAsVerified,
  type Caller,
  type FreshLogin,
  findProject,
  type IdentityTarget,
  isAdministrator,
  permit,
  targetOf,
} from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { CredentialRow, Database, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import {
  criteriaOf,
  type Deps,
  extraOf,
  type Filters,
  failOnBrokenReference,
  mergeExtra,
  pageOf,
  single,
} from '../resource/index.ts';
import { fromBase32, matchingStep } from '../two-factor/index.ts';
import type { Users } from '../users/index.ts';
import { type CreateCredential, credentialFields, type UpdateCredential } from './credentials.schema.ts';
import {
  acceptCredentialStep,
  credentialsOf,
  deleteCredential,
  findCredential,
  insertCredential,
  listCredentials,
  lockCredential,
  updateCredential,
} from './credentials.store.ts';

type NewCredential = Static<typeof CreateCredential>['credential'];
type CredentialChanges = Static<typeof UpdateCredential>['credential'];
export type DecryptedCredential = CredentialRow & { readonly plain: string };

const filters: Filters = {
  user_id: { column: 'credentials.user_id', kind: 'text' },
  type: { column: 'credentials.type', kind: 'text' },
};

const TOTP = 'totp';
const sealContext = (id: string): string => `credentials/${id}`;

/** Keystone's check of an access key. */
function isAccessKey(blob: string): boolean {
  try {
    const { access } = JSON.parse(blob) as { access?: unknown };
    return typeof access === 'string' && access !== '';
  } catch {
    return false;
  }
}

/** Rejects keys that no authenticator app could use: they would lock their owner out. */
function checkContent({ type, blob, projectId }: { type: string; blob: string; projectId: string | null }): void {
  const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });
  if (type === TOTP && !fromBase32(blob)) refuse('blob', 'the key of a totp credential must be base32');
  if (type.toLowerCase() !== 'ec2') return;
  if (projectId === null) refuse('project_id', 'an ec2 credential needs a project');
  if (!isAccessKey(blob)) refuse('blob', 'the blob of an ec2 credential must be a JSON object with the string access');
}

const decryptWith = (seal: Seal, row: CredentialRow): DecryptedCredential => ({
  ...row,
  plain: seal.open(row.blob, sealContext(row.id)).toString(),
});

/** The credential after a change. */
function revised(seal: Seal, row: CredentialRow, body: CredentialChanges): DecryptedCredential {
  const type = body.type ?? row.type;
  const plain = body.blob ?? decryptWith(seal, row).plain;
  const projectId = body.project_id === undefined ? row.project_id : body.project_id;
  checkContent({ type, blob: plain, projectId });
  return {
    ...row,
    user_id: body.user_id ?? row.user_id,
    project_id: projectId,
    type,
    blob: seal.seal(Buffer.from(plain), sealContext(row.id)),
    extra: mergeExtra(row.extra, extraOf(body, credentialFields)),
    plain,
  };
}

/** Locks the credential. Fails when it was deleted or given to another user since the caller was allowed to change it. */
async function lockOwned(db: Database, tx: Tx, { id, user_id }: CredentialRow): Promise<CredentialRow> {
  const current = await lockCredential(db, tx, id);
  return current?.user_id === user_id ? current : fail('credential.not_found', { id });
}

export function createCredentials(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & { readonly users: Users; seal: Seal; freshLogin: FreshLogin },
) {
  const { db, clock, change, users, seal, freshLogin } = deps;
  const decrypt = (row: CredentialRow): DecryptedCredential => decryptWith(seal, row);

  /**
   * Reading the key of an authenticator app needs a recent login, like changing it: the key gives all codes. A list with such a key is
   * refused as a whole, since leaving it out would look as if there were none.
   */
  function decryptFor(caller: Caller, row: CredentialRow): DecryptedCredential {
    if (row.type === TOTP) freshLogin.require(caller, row.user_id);
    return decrypt(row);
  }

  const target = async (id: string): Promise<IdentityTarget<CredentialRow>> =>
    targetOf(
      await findCredential(db.read, id),
      ({ user_id }) => ({ userId: user_id }),
      () => fail('credential.not_found', { id }),
    );

  /** The owner of a new credential. */
  function ownerTarget(caller: Caller, { user_id: userId = caller.userId }: NewCredential): IdentityTarget<string> {
    return { facts: { userId }, get: () => userId };
  }

  async function checkParts(userId: string, projectId: string | null): Promise<void> {
    if (!(await users.find(userId))) fail('user.not_found', { id: userId });
    if (projectId !== null && !(await findProject(db.read, projectId))) fail('project.not_found', { id: projectId });
  }

  async function create(caller: Caller, userId: string, body: NewCredential): Promise<DecryptedCredential> {
    freshLogin.require(caller, userId);
    const projectId = body.project_id ?? null;
    checkContent({ type: body.type, blob: body.blob, projectId });
    await checkParts(userId, projectId);
    const id = newId();
    const row: CredentialRow = {
      id,
      user_id: userId,
      project_id: projectId,
      type: body.type,
      blob: seal.seal(Buffer.from(body.blob), sealContext(id)),
      extra: JSON.stringify(extraOf(body, credentialFields)),
      last_step: 0,
      created_at: seconds(clock),
    };
    await change(actorAsVerified(caller, userId), async ({ tx, audit }) => {
      await failOnBrokenReference(
        () => fail('user.not_found', { id: userId }),
        () => insertCredential(tx, row),
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
    for (const owner of [row.user_id, userId]) freshLogin.require(caller, owner);
    await checkParts(userId, revised(seal, row, body).project_id);
    return change(actorAsVerified(caller, row.user_id), async ({ tx, audit }) => {
      // Again with the locked row, so that concurrent updates do not overwrite each other.
      const changed = revised(seal, await lockOwned(db, tx, row), body);
      const { user_id, project_id, type, blob, extra } = changed;
      await failOnBrokenReference(
        () => fail('user.not_found', { id: user_id }),
        () => updateCredential(tx, id, { user_id, project_id, type, blob, extra }),
      );
      audit('credential.updated', { kind: 'credential', id }, { fields: Object.keys(body) });
      return changed;
    });
  }

  return {
    target,
    ownerTarget,
    async list(caller: Caller, query: Query) {
      const owner = isAdministrator(caller) ? undefined : caller.userId;
      const page = await listCredentials(db, pageOf(query), criteriaOf(query, filters), owner);
      if (!page) fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
      return { ...page, items: page.items.map((row) => decryptFor(caller, row)) };
    },
    get: decryptFor,
    create,
    update,
    async remove(caller: Caller, row: CredentialRow): Promise<void> {
      const { id } = row;
      freshLogin.require(caller, row.user_id);
      await change(actorAsVerified(caller, row.user_id), async ({ tx, audit }) => {
        await lockOwned(db, tx, row);
        await deleteCredential(tx, id);
        audit('credential.deleted', { kind: 'credential', id }, { user_id: row.user_id, type: row.type });
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
