// An application registers itself (RFC 7591): with a token in the domain of the token, or without one where that is allowed. It becomes a consumer
// that nobody manages, with a date on which it ends.
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLocks } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import { addressKey } from '../../../platform/limits/index.ts';
import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import { type Actor, type Change, serviceActor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { ConsumerWithSecret, NewConsumer } from '../consumers/index.ts';
import { countStrangers, findTokenByHash, knownNames, takeUse } from './client-registration.store.ts';
import type { ClientRegistrationDeps, Stranger } from './deps.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import { applicationNameProblem } from './names.ts';
import { ALLOWS, type Origin, type Policy } from './policy.ts';
import { bearerIn, hashOf, newToken } from './secrets.ts';

const DAY = 86_400;

/** Under which policy somebody registers. */
interface Place {
  readonly origin: Extract<Origin, 'token' | 'open'>;
  /** Null: for the people of every domain that is open. */
  readonly domainId: string | null;
  readonly policy: Policy;
  readonly tokenHash?: string;
}

export const actorOf = ({ address, requestId, userAgent }: Stranger): Actor => ({
  ...serviceActor,
  requestId,
  origin: { address, user_agent: userAgent.slice(0, 255) },
});

export const refuseToken = (): never =>
  fail('oauth.invalid_token', undefined, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });

async function isOpenDomain({ db }: ClientRegistrationDeps, id: string): Promise<boolean> {
  const domain = await findProject(db.read, id);
  return domain?.is_domain === 1 && domain.enabled === 1;
}

async function placeOfToken(deps: ClientRegistrationDeps, stranger: Stranger, token: string): Promise<Place> {
  const { db, gate, clock, domainSettings } = deps;
  gate.checkSecret(stranger, undefined);
  const tokenHash = hashOf(token);
  const found = await findTokenByHash(db.read, tokenHash);
  const isGood = found && found.uses_left > 0 && found.expires_at > seconds(clock) && (await isOpenDomain(deps, found.domain_id));
  if (!isGood) {
    gate.wrongSecret(stranger, undefined);
    return refuseToken();
  }
  const { application_registration: policy } = await domainSettings.of(found.domain_id);
  if (!ALLOWS.token(policy)) fail('oauth.registration_off');
  return { origin: 'token', domainId: found.domain_id, policy, tokenHash };
}

/** Of the service, for all domains that are open; or of the domain that is named, or else the default one. */
async function openPlace(deps: ClientRegistrationDeps, named: string | undefined): Promise<Place> {
  const { domainSettings } = deps;
  const ofService = domainSettings.defaults().application_registration;
  if (named === undefined && ALLOWS.open(ofService)) return { origin: 'open', domainId: null, policy: ofService };
  const domainId = named ?? DEFAULT_DOMAIN;
  const { application_registration: policy } = await domainSettings.of(domainId);
  // A domain that does not exist is as one that is not open.
  if (!ALLOWS.open(policy) || !(await isOpenDomain(deps, domainId))) fail('oauth.registration_off');
  return { origin: 'open', domainId, policy };
}

/** The limit counts what is there at the moment, so that two who come at the same time are counted one after the other. */
export async function refuseIfFull(
  { db }: ClientRegistrationDeps,
  { tx }: Change,
  { domainId, origin, policy }: { readonly domainId: string | null; readonly origin: Origin; readonly policy: Policy },
): Promise<void> {
  const isDocument = origin === 'document';
  await takeAdvisoryLocks(db, tx, [`self-registration ${isDocument ? 'documents' : (domainId ?? 'everybody')}`]);
  if ((await countStrangers(tx, domainId, isDocument)) >= policy.limit)
    fail('oauth.registration_full', undefined, { headers: { 'Retry-After': '3600' } });
}

export async function checkName({ db, config }: ClientRegistrationDeps, { name }: NewConsumer): Promise<void> {
  const why = applicationNameProblem(name, [config.brandName, ...(await knownNames(db.read))]);
  if (why !== undefined) fail('oauth.invalid_client_metadata', { field: 'client_name', why });
}

export async function register(
  deps: ClientRegistrationDeps,
  stranger: Stranger,
  metadata: Metadata,
  domainId: string | undefined,
): Promise<{ row: ConsumerWithSecret; accessToken: string }> {
  const { clock, change, consumers, registrations } = deps;
  const token = bearerIn(stranger.authorization);
  const place = token === undefined ? await openPlace(deps, domainId) : await placeOfToken(deps, stranger, token);
  if (token === undefined) registrations.take(addressKey(stranger.address));
  const body = readMetadata(metadata, place.policy);
  await checkName(deps, body);
  const accessToken = newToken('access');
  const row = await change(actorOf(stranger), async (transaction) => {
    const now = seconds(clock);
    const used = place.tokenHash === undefined ? undefined : await takeUse(transaction.tx, place.tokenHash, now);
    // It was used up or ended since it was looked for.
    if (place.tokenHash !== undefined && used === undefined) refuseToken();
    await refuseIfFull(deps, transaction, place);
    return consumers.insert(transaction, body, newId(), {
      registered_by: place.origin,
      registration_domain_id: place.domainId,
      registration_token: used?.name ?? null,
      registration_access_hash: hashOf(accessToken),
      // Nobody has used it yet.
      registration_expires_at: now + DAY,
    });
  });
  return { row: consumers.withSecret(row), accessToken };
}
