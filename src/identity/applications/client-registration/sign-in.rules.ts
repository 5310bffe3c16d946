// Who may sign in to an application that registered itself, and for what: the policy of the person's domain decides, as it is at that moment.
import { seconds } from '../../../platform/clock.ts';
import { findUser } from '../../directory/users/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { findConsumer, isStrangers } from '../consumers/index.ts';
import type { ClientRegistrationDeps } from './deps.ts';
import { ALLOWS, redirectProblem } from './policy.ts';

const DAY = 86_400;
/** How often the last use is stored. */
const USE_SECONDS = 3600;

/** What a person signs in for. */
export interface SignInRequest {
  readonly redirectUri: string | undefined;
  readonly scopes: Iterable<string>;
}

const isPolicyScope = (scope: string): boolean => ['profile', 'email', 'openid', 'offline_access'].includes(scope);

/** Why a person may not sign in to the application; undefined if they may. It stays for the people of its domain when it is kept. */
export async function signInRefusal(
  { db, domainSettings }: Pick<ClientRegistrationDeps, 'db' | 'domainSettings'>,
  row: Pick<ConsumerRow, 'registered_by' | 'registration_domain_id' | 'registration_expires_at'>,
  userId: string,
  request: SignInRequest,
): Promise<string | undefined> {
  const { registered_by: origin, registration_domain_id: domainId } = row;
  if (origin === null) return undefined;
  const user = await findUser(db.read, userId);
  if (!user || (domainId !== null && user.domain_id !== domainId)) return 'the application is for people of another domain';
  if (!isStrangers(row)) return undefined;
  const { application_registration: policy } = await domainSettings.of(user.domain_id);
  if (!ALLOWS[origin](policy)) return 'the domain of the person lets no such applications in';
  if (request.redirectUri !== undefined && redirectProblem(request.redirectUri, policy) !== undefined)
    return 'the domain of the person does not allow the redirect URI';
  const scope = [...request.scopes].find((one) => isPolicyScope(one) && !policy.scopes.some((allowed) => allowed === one));
  return scope === undefined ? undefined : `the domain of the person does not allow the scope ${scope}`;
}

/** An application that people use stays: it ends so many days after its last use. */
export function createUses({ db, clock, consumers, domainSettings }: ClientRegistrationDeps) {
  const noted = new Map<string, number>();

  async function until(row: ConsumerRow): Promise<number> {
    const { registration_domain_id: domainId } = row;
    const settings = domainId === null ? domainSettings.defaults() : await domainSettings.of(domainId);
    return seconds(clock) + settings.application_registration.days * DAY;
  }

  /** When its tokens were issued. */
  return async function noteUse(clientId: string): Promise<void> {
    const now = seconds(clock);
    if (now - (noted.get(clientId) ?? 0) < USE_SECONDS) return;
    const row = await findConsumer(db.read, clientId);
    if (!row || !isStrangers(row)) return;
    if (noted.size >= 10_000) noted.clear();
    noted.set(clientId, now);
    const expiresAt = await until(row);
    await db.write(async (tx, invalidate) => {
      const current = await consumers.lock({ tx }, clientId);
      if (current && isStrangers(current))
        await consumers.noteRegistration({ tx, invalidate }, current, { registration_expires_at: expiresAt });
    });
  };
}
