// Whether an application that registered itself may be used: it has not expired, and the policy that let it in still does.
import { seconds } from '../../../platform/clock.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { isStrangers } from '../consumers/index.ts';
import type { ClientRegistrationDeps } from './deps.ts';
import { ALLOWS, type Policy } from './policy.ts';

type LiveDeps = Pick<ClientRegistrationDeps, 'clock' | 'domainSettings'>;

/** The policies of all domains that have their own, and that of the others. */
async function policies({ domainSettings }: Pick<LiveDeps, 'domainSettings'>): Promise<Policy[]> {
  const own = (await domainSettings.domains()).map(({ settings }) => settings.application_registration);
  return [domainSettings.defaults().application_registration, ...own];
}

export const anywhere = async (deps: Pick<LiveDeps, 'domainSettings'>, allows: (policy: Policy) => boolean): Promise<boolean> =>
  (await policies(deps)).some(allows);

/** Of everybody's applications, too: those that somebody registered or kept always are. */
export async function isLive(deps: LiveDeps, row: ConsumerRow): Promise<boolean> {
  const { registered_by: origin, registration_domain_id: domainId, registration_expires_at: expires } = row;
  if (!isStrangers(row) || origin === null || expires === null) return true;
  if (expires <= seconds(deps.clock)) return false;
  if (domainId === null) return anywhere(deps, ALLOWS[origin]);
  return ALLOWS[origin]((await deps.domainSettings.of(domainId)).application_registration);
}
