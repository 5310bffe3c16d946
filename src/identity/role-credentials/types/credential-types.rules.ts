// Makes and changes types of credentials. Whoever manages an application manages its types; a type that has roles of further applications is
// changed by those who manage all of them.
import { seconds } from '../../../platform/clock.ts';
import { isUniqueViolation, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { ISSUED_FORMAT_NAMES, ISSUED_FORMATS } from '../../../verifiable/issuing/index.ts';
import { type Action, type Caller, type Facts, type IdentityTarget, isAdministrator, permit } from '../../access/rules/index.ts';
import type { Managers, UserPermissionsReader } from '../../applications/app-roles/index.ts';
import { findConsumer } from '../../applications/consumers/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ConsumerRow, CredentialTypeRow, Database, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  bit,
  callerIfMatch,
  criteriaOf,
  type Deps,
  type Filters,
  failOnBrokenReference,
  foundPage,
  pageOf,
  single,
} from '../../ground/resource/index.ts';
import { applicationsOf, CREDENTIAL_TYPES_TAG, type CredentialType, credentialTypeTag } from './credential-type.ts';
import type { CreateCredentialType, UpdateCredentialType } from './credential-types.schema.ts';
import {
  countCredentialTypes,
  deleteCredentialType,
  findCredentialType,
  insertCredentialType,
  isTypeIdOfAnother,
  isTypeNameTaken,
  listCredentialTypes,
  lockCredentialType,
  replaceTargets,
  updateCredentialType,
  usableRoles,
  withTargets,
} from './credential-types.store.ts';

type NewCredentialType = Static<typeof CreateCredentialType>['credential_type'];
type CredentialTypeChanges = Static<typeof UpdateCredentialType>['credential_type'];

const DAY = 86_400;
/** All types are published in one document, so nobody fills it. Administrators are not limited. */
const MOST_OF_APPLICATION = 20;
const MOST = 500;
/** Every W3C credential has one of these, so they say nothing about who may issue what. */
const RESERVED: readonly string[] = ['VerifiableCredential', 'VerifiablePresentation', 'VerifiableAttestation'];

const MANAGE = 'manage-application';

const filters: Filters = {
  application_id: { column: 'credential_types.application_id', kind: 'text' },
  name: { column: 'credential_types.name', kind: 'text' },
  enabled: { column: 'credential_types.enabled', kind: 'flag' },
};

export interface CredentialTypeDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'> {
  readonly managers: Managers;
  readonly userPermissions: UserPermissionsReader;
  /** Whether the certificate of the issuer is one for mobile documents. */
  signsDocuments(): Promise<boolean>;
}

/** `city-worker` is CityWorker. */
const typeNameFor = (id: string): string => {
  const name = id.replace(/(?:^|-+)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
  return /^[A-Z]/.test(name) ? name : `Type${name}`;
};

const badValue = (field: string, why: string): never => fail('request.bad_value', { field, why });

function organizationsOf(
  body: Pick<CredentialTypeChanges, 'organizations' | 'only_default_organization'>,
  before: CredentialType['organizations'],
): CredentialType['organizations'] {
  const { organizations, only_default_organization: onlyDefault } = body;
  if (onlyDefault && organizations) badValue('organizations', 'it must be null with only_default_organization');
  if (onlyDefault) return 'default';
  if (organizations) return organizations;
  if (organizations === null) return 'all';
  return onlyDefault === false && before === 'default' ? 'all' : before;
}

const FIRST: Omit<CredentialType, 'id' | 'applicationId' | 'typeName' | 'name' | 'createdAt'> = {
  targets: [],
  description: '',
  formats: ISSUED_FORMAT_NAMES.slice(0, 1),
  dataModel: '2.0',
  validitySeconds: 30 * DAY,
  roles: 'all',
  organizations: 'all',
  claims: [],
  subject: 'none',
  enabled: true,
};

/** The type after a change. What the body does not name stays. */
const revised = (before: CredentialType, body: CredentialTypeChanges): CredentialType => ({
  ...before,
  targets: body.targets ?? before.targets,
  typeName: body.type ?? before.typeName,
  name: body.name ?? before.name,
  description: body.description ?? before.description,
  formats: body.formats ?? before.formats,
  dataModel: body.data_model ?? before.dataModel,
  validitySeconds: body.validity_seconds ?? before.validitySeconds,
  roles: body.roles === undefined ? before.roles : (body.roles ?? 'all'),
  organizations: organizationsOf(body, before.organizations),
  claims: body.claims ?? before.claims,
  subject: body.subject ?? before.subject,
  enabled: body.enabled ?? before.enabled,
});

const columnsOf = (type: CredentialType): Omit<CredentialTypeRow, 'id' | 'application_id' | 'created_at' | 'updated_at'> => ({
  type_name: type.typeName,
  name: type.name,
  description: type.description,
  formats: JSON.stringify(type.formats),
  data_model: type.dataModel,
  validity_seconds: type.validitySeconds,
  roles: JSON.stringify(type.roles),
  organizations: JSON.stringify(type.organizations),
  claims: JSON.stringify(type.claims),
  subject: type.subject,
  enabled: bit(type.enabled),
});

/** What its ETag is made of. */
export const versionedType = (type: CredentialType): object => ({
  id: type.id,
  application_id: type.applicationId,
  ...columnsOf(type),
  targets: [...type.targets].sort(),
});

/** The caller, for a change of exactly the version that If-Match names. Locks are taken in the order of other changes. */
export function callerForVersion(db: Database, call: Parameters<typeof callerIfMatch<Caller>>[1]): Caller {
  const caller = callerIfMatch('credential_type', call);
  const { precondition } = caller;
  if (!precondition) return caller;
  return {
    ...caller,
    async precondition(database, tx) {
      await takeAdvisoryLock(db, tx, CREDENTIAL_TYPES_TAG);
      await precondition(database, tx);
    },
  };
}

/** `former_type`: the name that it gave up. */
const updateDetail = (body: CredentialTypeChanges, before: CredentialType, after: CredentialType) => ({
  fields: Object.keys(body),
  application_id: after.applicationId,
  ...(after.typeName === before.typeName ? {} : { former_type: before.typeName }),
});

/** Verifiers may trust a type by its address alone. While credentials say it, it stays with the application that they are of. */
async function refuseIdOfAnother(tx: Tx, caller: Caller, { id, applicationId }: CredentialType): Promise<void> {
  if (!isAdministrator(caller) && (await isTypeIdOfAnother(tx, id, applicationId)))
    fail('resource.duplicate', { kind: 'credential_type', field: 'id', value: id });
}

/** Nobody would accept what the certificate is not for. */
async function checkFormats({ formats = [] }: CredentialTypeChanges, signsDocuments: () => Promise<boolean>): Promise<void> {
  const format = formats.find((name) => ISSUED_FORMATS[name].needsDocumentSigner);
  if (format !== undefined && !(await signsDocuments()))
    badValue('formats', `the certificate of the issuer is not one that signs documents, which ${format} needs`);
}

export function createCredentialTypeManagement({ db, clock, change, config, managers, ...deps }: CredentialTypeDeps) {
  const { userPermissions, signsDocuments } = deps;
  const missing = (id: string): never => fail('credential_type.not_found', { id });
  const byAdministratorsOnly = (): boolean => config.credentialTypeMakers === 'administrators';

  const factsOf = async (caller: Caller, applicationId: string | undefined): Promise<Facts> => ({
    applicationId,
    managesApplication: !byAdministratorsOnly() && (await managers.hasPermission(caller, applicationId, MANAGE)),
  });

  /** Fails unless the caller manages every one of these applications now. Of one that does not exist, they learn nothing else. */
  async function permitAll(tx: Tx, caller: Caller, action: Action, applicationIds: readonly string[]): Promise<void> {
    if (isAdministrator(caller)) return;
    for (const id of applicationIds) {
      const held = byAdministratorsOnly() ? undefined : await userPermissions.readIn(tx, caller.userId, id);
      permit(caller, action, { applicationId: id, managesApplication: held?.internal.has(MANAGE) === true });
    }
  }

  async function check(tx: Tx, caller: Caller, type: CredentialType, before?: CredentialType): Promise<void> {
    const { applicationId, targets, typeName, roles } = type;
    if (targets.includes(applicationId)) badValue('targets', 'the application itself is one already');
    if (RESERVED.includes(typeName)) badValue('type', 'it is one of every credential');
    // Verifiers may trust a type by its name alone. An administrator may have given it one that others have.
    const isNewName = typeName !== before?.typeName && !isAdministrator(caller);
    if (isNewName && (await isTypeNameTaken(tx, typeName, applicationId)))
      fail('resource.duplicate', { kind: 'credential_type', field: 'type', value: typeName });
    for (const id of targets) if (!(await findConsumer(tx, id))) fail('application.not_found', { id });
    if (roles === 'all') return;
    const usable = await usableRoles(tx, roles, applicationsOf(type));
    for (const id of roles) if (!usable.has(id)) badValue('roles', `${id} is no role of these applications`);
  }

  /** One of the applications may be deleted between the check and the write. */
  const insertTargets = (tx: Tx, { id, targets }: CredentialType): Promise<void> =>
    failOnBrokenReference(
      () => fail('application.not_found', { id: targets.join(', ') }),
      () => replaceTargets(tx, id, targets),
    );

  /** Drops cached values, and makes what was issued be looked at again: those who hold it may not have it any more. */
  function invalidateType({ invalidate }: Change, id: string): void {
    invalidate(credentialTypeTag(id));
    invalidate(CREDENTIAL_TYPES_TAG);
  }

  return {
    /** For a change with If-Match. */
    callerOf: (call: Parameters<typeof callerForVersion>[1]): Caller => callerForVersion(db, call),

    target: async (caller: Caller, id: string): Promise<IdentityTarget<CredentialType>> => {
      const type = await findCredentialType(db.read, id);
      return { facts: await factsOf(caller, type?.applicationId), get: () => type ?? missing(id) };
    },

    /** The application of a new type. */
    applicationTarget: async (caller: Caller, id: string): Promise<IdentityTarget<ConsumerRow>> => {
      const application = await findConsumer(db.read, id);
      const facts = await factsOf(caller, application?.id);
      return { facts, get: () => application ?? fail('application.not_found', { id }) };
    },

    /** The applications whose types a list shows: the one it names, or those that the caller manages; undefined for all. */
    listTarget: async (caller: Caller, query: Query): Promise<IdentityTarget<readonly string[] | undefined>> => {
      const id = single(query, 'application_id');
      if (id !== undefined) return { facts: await factsOf(caller, id), get: () => [id] };
      const within = byAdministratorsOnly() && !isAdministrator(caller) ? [] : await managers.managedApplications(caller, MANAGE);
      return { facts: { onlyManaged: true }, get: () => within };
    },

    async list(query: Query, within: readonly string[] | undefined) {
      const page = foundPage(query, await listCredentialTypes(db, pageOf(query), criteriaOf(query, filters), within));
      return { ...page, items: await withTargets(db.read, page.items) };
    },

    async create(caller: Caller, application: ConsumerRow, body: NewCredentialType): Promise<CredentialType> {
      const { id } = body;
      const now = seconds(clock);
      await checkFormats(body, signsDocuments);
      const first = { ...FIRST, id, applicationId: application.id, typeName: typeNameFor(id), name: body.name, createdAt: now };
      const type = revised(first, body);
      return change(caller, async (transaction) => {
        const { tx, audit } = transaction;
        await takeAdvisoryLock(db, tx, CREDENTIAL_TYPES_TAG);
        await permitAll(tx, caller, 'create_credential_type', applicationsOf(type));
        const { own, all } = await countCredentialTypes(tx, application.id);
        if (!isAdministrator(caller) && (own >= MOST_OF_APPLICATION || all >= MOST))
          fail('credential_type.limit', { most: own >= MOST_OF_APPLICATION ? MOST_OF_APPLICATION : MOST });
        await check(tx, caller, type);
        await refuseIdOfAnother(tx, caller, type);
        const row = { id, application_id: application.id, ...columnsOf(type), created_at: now, updated_at: now };
        await failOnBrokenReference(
          () => fail('application.not_found', { id: application.id }),
          () =>
            insertCredentialType(tx, row).catch((error: unknown) => {
              if (isUniqueViolation(error)) fail('resource.duplicate', { kind: 'credential_type', field: 'id', value: id });
              throw error;
            }),
        );
        await insertTargets(tx, type);
        invalidateType(transaction, id);
        audit('credential_type.created', { kind: 'credential_type', id }, { application_id: application.id });
        return type;
      });
    },

    async update(caller: Caller, { id }: CredentialType, body: CredentialTypeChanges): Promise<CredentialType> {
      await checkFormats(body, signsDocuments);
      return change(caller, async (transaction) => {
        const { tx, audit } = transaction;
        await takeAdvisoryLock(db, tx, CREDENTIAL_TYPES_TAG);
        const before = (await lockCredentialType(db, tx, id)) ?? missing(id);
        const type = revised(before, body);
        // Those that are taken out need no permission: less is told of them then.
        await permitAll(tx, caller, 'update_credential_type', applicationsOf(type));
        await check(tx, caller, type, before);
        await updateCredentialType(tx, id, { ...columnsOf(type), updated_at: seconds(clock) });
        await insertTargets(tx, type);
        invalidateType(transaction, id);
        audit('credential_type.updated', { kind: 'credential_type', id }, updateDetail(body, before, type));
        return type;
      });
    },

    async remove(caller: Caller, { id }: CredentialType): Promise<void> {
      await change(caller, async (transaction) => {
        const { tx, audit } = transaction;
        const before = (await lockCredentialType(db, tx, id)) ?? missing(id);
        await permitAll(tx, caller, 'delete_credential_type', [before.applicationId]);
        await deleteCredentialType(tx, id);
        invalidateType(transaction, id);
        audit('credential_type.deleted', { kind: 'credential_type', id }, { application_id: before.applicationId });
      });
    },
  };
}

export type CredentialTypeManagement = ReturnType<typeof createCredentialTypeManagement>;
