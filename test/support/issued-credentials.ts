// Set-up for tests of issued credentials: types, credentials, and what the published lists say of them.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { before } from 'node:test';
import { createUserPermissions } from '../../src/identity/applications/app-roles/index.ts';
import { createChanges, type RunChange, serviceActor } from '../../src/identity/ground/audit/index.ts';
import type { Database } from '../../src/identity/ground/database/index.ts';
import {
  createIssuedCredentials,
  createRevocation,
  type IssuanceRecord,
} from '../../src/identity/role-credentials/issued/index.ts';
import { CREDENTIAL_TYPES_TAG, createCredentialTypes } from '../../src/identity/role-credentials/types/index.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createCaches } from '../../src/platform/database/index.ts';
import type { Outbound } from '../../src/platform/outbound/index.ts';
import { createFormats } from '../../src/verifiable/formats/index.ts';
import { createResolver } from '../../src/verifiable/resolver/index.ts';
import { createStatus, referenceOf } from '../../src/verifiable/status/index.ts';
import { createTrust } from '../../src/verifiable/trust/index.ts';
import { type TestApi, uniqueName } from './api.ts';
import { assign, makeApplication, makeOrganization, makePerson, makeRole } from './applications.ts';
import { usesDatabaseOf } from './restartable-api.ts';

export const ISSUER = 'https://id.example';

/** The module on the database of a service. */
export function issuedCredentialsOn(stored: Database, clock: Clock, issuer = ISSUER) {
  // With its own caches, as another process has them.
  const db: Database = { ...stored, ...createCaches(stored.feed) };
  const credentialTypes = createCredentialTypes({ db, clock });
  const change: RunChange = createChanges(db, clock, createRevocation({ db, credentialTypes }));
  const nobody = async (): Promise<never> => assert.fail('it is not signed here');
  const issued = createIssuedCredentials({
    db,
    clock,
    change,
    credentialTypes,
    onWithdrawn: async () => {},
    managers: { hasPermission: async () => false },
    userPermissions: createUserPermissions({ db, clock }),
    config: { statusListSize: 131_072, statusListSeconds: 60, refreshTokenSeconds: 30 * 86_400 },
    signer: { did: () => undefined, sign: nobody },
    issuer: () => issuer,
  });
  return { issued, change, credentialTypes };
}

export type IssuedOn = ReturnType<typeof issuedCredentialsOn>;

/** The database of a suite's service, and the module on it, which is empty until the suite begins. */
export function usesIssuedCredentials(api: TestApi): { db: () => Database; on: IssuedOn } {
  const [db, on] = [usesDatabaseOf(api), {} as IssuedOn];
  before(() => void Object.assign(on, issuedCredentialsOn(db(), api.clock)));
  return { db, on };
}

/** A type of credentials of an application, as an administrator makes it. */
export async function makeType(db: Database, applicationId: string, values: Record<string, unknown> = {}): Promise<string> {
  const id = uniqueName('type');
  const row = {
    id,
    application_id: applicationId,
    type_name: 'RoleCredential',
    name: id,
    description: '',
    formats: '["dc+sd-jwt"]',
    data_model: '2.0',
    subject: 'none',
    validity_seconds: 90 * 86_400,
    roles: '"all"',
    organizations: '"all"',
    claims: '[]',
    enabled: 1,
    created_at: 0,
    updated_at: 0,
    ...values,
  };
  await db.write(async (tx, invalidate) => {
    await tx.insertInto('credential_types').values(row).execute();
    invalidate(CREDENTIAL_TYPES_TAG);
  });
  return id;
}

let keys = 0;

export const recordFor = (
  { issued, change }: IssuedOn,
  userId: string,
  typeId: string,
  count = 1,
  notAfter = Number.MAX_SAFE_INTEGER,
  wallet: { readonly authorizationId?: string; readonly keys?: readonly string[] } = {},
): Promise<IssuanceRecord & { ids: string[] }> =>
  change(serviceActor, async (transaction) => {
    const what = {
      type: { id: typeId },
      userId,
      format: 'dc+sd-jwt',
      issuanceId: uniqueName('issuance'),
      clientId: null,
      authorizationId: wallet.authorizationId ?? null,
      notBefore: 0,
      notAfter,
    };
    const keyThumbprints = wallet.keys ?? Array.from({ length: count }, () => `key-${++keys}`);
    const recorded = await issued.record(transaction, { ...what, keyThumbprints });
    return { ...recorded, ids: recorded.credentials.map(({ id }) => id) };
  });

/** Somebody with a role of an application, as a member of an organization that is not their default one. */
export async function makeHolder(api: TestApi, db: Database, type: Record<string, unknown> = {}) {
  const person = await makePerson(api);
  const organization = await makeOrganization(api, person);
  const application = await makeApplication(api);
  const role = await makeRole(api, application);
  await assign(api, { user: person.user, organization, application, role });
  const typeId = await makeType(db, application.id, type);
  return { person, user: person.user, organization, application, role, typeId };
}

export const stateOf = async (db: Database, id: string): Promise<string | undefined> =>
  (await db.read.selectFrom('issued_credentials').where('id', '=', id).select('state').executeTakeFirst())?.state;

const DID = 'did:web:id.example';

/** The DID document of the issuer, from its stored keys. */
async function didDocumentIn(db: Database) {
  const rows = await db.read.selectFrom('issuer_keys').where('origin', '=', 'made').selectAll().execute();
  const methods = rows.map(({ id, public_key }) => ({
    id: `${DID}#${id}`,
    type: 'JsonWebKey2020',
    controller: DID,
    publicKeyJwk: JSON.parse(public_key) as unknown,
  }));
  return { id: DID, verificationMethod: methods, assertionMethod: methods.map(({ id }) => id) };
}

/** A verifier elsewhere, which trusts the issuer's certificate and DID. It finds the issuer at the address of a service. */
export async function verifierOf(urlOf: () => string, clock: Clock, db: Database) {
  // The first signature makes the key and its certificate.
  const { id } = await db.read.selectFrom('status_lists').select('id').limit(1).executeTakeFirstOrThrow();
  assert.equal((await fetch(`${urlOf()}/openid/status-lists/${id}`)).status, 200);
  const [anchor, document] = [await anchorIn(db), await didDocumentIn(db)];
  const outbound: Outbound = async ({ url, headers }) => {
    if (url === `${ISSUER}/.well-known/did.json`)
      return { status: 200, headers: { 'content-type': 'application/did+json' }, body: Buffer.from(JSON.stringify(document)) };
    const response = await fetch(url.replace(ISSUER, urlOf()), { headers: headers as Record<string, string> });
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  };
  const resolver = createResolver({ outbound, clock });
  const trust = createTrust({
    outbound,
    resolver,
    anchors: () => [anchor],
    clock,
    policy: { mode: 'any', dids: [] },
  });
  const formats = createFormats({ trust, clock });
  const status = createStatus({
    outbound,
    trust,
    clock,
    async verifyList(raw) {
      const { issuer, claims, validUntil } = await formats.jwt_vc_json.verify(raw as string);
      const subject = claims.credentialSubject as Record<string, unknown>;
      return { issuer: issuer.id, subject, ...(validUntil === undefined ? {} : { validUntil }) };
    },
  });
  type Entry = IssuanceRecord['credentials'][number];
  return {
    /** By the Token Status List. */
    byToken: ({ tokenStatus }: Entry) =>
      status.of(referenceOf({ status: { status_list: tokenStatus } })!, { issuer: ISSUER, fresh: true }),
    /** By the Bitstring Status Lists. */
    byBitstring: ({ bitstring }: Entry) =>
      status.of(referenceOf({ credentialStatus: bitstring })!, { issuer: ISSUER, fresh: true }),
  };
}

const anchorIn = async (db: Database): Promise<X509Certificate> => {
  const row = await db.read.selectFrom('issuer_keys').where('origin', '=', 'authority').selectAll().executeTakeFirstOrThrow();
  return new X509Certificate(Buffer.from(row.certificate!, 'base64'));
};
