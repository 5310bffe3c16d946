// What credentials call an application: its DID instead of its id. Only administrators say so. A manager could otherwise name the DID of an
// application that is not theirs, and their own roles would count there.
import { parse } from 'did-resolver';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import type { Caller, IdentityTarget } from '../../access/rules/index.ts';
import { appTagOf, type Managers } from '../../applications/app-roles/index.ts';
import { findConsumer } from '../../applications/consumers/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { CREDENTIAL_TYPES_TAG } from './credential-type.ts';
import { deleteDid, putDid, readDids } from './credential-types.store.ts';

export interface NamedTarget {
  readonly applicationId: string;
  readonly did: string;
}

export function createCredentialTargets({ db, change, managers }: Pick<Deps, 'db' | 'change'> & { readonly managers: Managers }) {
  const noDid = (id: string): never => fail('credential_target.no_did', { id });

  return {
    target: async (caller: Caller, id: string): Promise<IdentityTarget<ConsumerRow>> => {
      const application = await findConsumer(db.read, id);
      const managesApplication = await managers.hasPermission(caller, application?.id, 'manage-application');
      return {
        facts: { applicationId: id, managesApplication },
        get: () => application ?? fail('application.not_found', { id }),
      };
    },

    async show({ id }: ConsumerRow): Promise<NamedTarget> {
      return { applicationId: id, did: (await readDids(db.read, [id])).get(id) ?? noDid(id) };
    },

    async put(caller: Caller, { id }: ConsumerRow, did: string): Promise<NamedTarget> {
      if (parse(did)?.did !== did) fail('request.bad_value', { field: 'did', why: 'it is not a DID' });
      await change(caller, async ({ tx, audit, invalidate }) => {
        await failOnBrokenReference(
          () => fail('application.not_found', { id }),
          () =>
            putDid(tx, { application_id: id, did }).catch((error: unknown) => {
              if (isUniqueViolation(error)) fail('resource.duplicate', { kind: 'credential_target', field: 'did', value: did });
              throw error;
            }),
        );
        // Credentials that call it otherwise are looked at again.
        invalidate(appTagOf.application(id));
        invalidate(CREDENTIAL_TYPES_TAG);
        audit('credential_target.named', { kind: 'credential_target', id }, { did, application_id: id });
      });
      return { applicationId: id, did };
    },

    async remove(caller: Caller, { id }: ConsumerRow): Promise<void> {
      await change(caller, async ({ tx, audit, invalidate }) => {
        if (!(await deleteDid(tx, id))) noDid(id);
        invalidate(appTagOf.application(id));
        invalidate(CREDENTIAL_TYPES_TAG);
        audit('credential_target.unnamed', { kind: 'credential_target', id }, { application_id: id });
      });
    },
  };
}

export type CredentialTargets = ReturnType<typeof createCredentialTargets>;
