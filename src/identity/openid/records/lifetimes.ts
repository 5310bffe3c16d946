// How long sessions and tokens of a person last: as their domain says.
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { RecordWithOwners } from './records.store.ts';
import type { Lifetimes, RequestState } from './request-state.ts';

export interface LifetimeDeps {
  readonly requestState: RequestState;
  readonly domainSettings: Pick<DomainSettingsOf, 'ofDomain' | 'ofUser' | 'defaults'>;
}

/** Those of the person of a record. */
export const lifetimesIn = (
  { domainSettings }: LifetimeDeps,
  { domain_id: id, domain_name: name }: RecordWithOwners,
): Lifetimes => (id === null ? domainSettings.defaults() : domainSettings.ofDomain({ id, name: name! })).sessions;

/** Of somebody of whom the request has read something. The library asks when it cannot wait for the database. */
export const lifetimesOf = ({ requestState, domainSettings }: LifetimeDeps, userId: string | undefined): Lifetimes =>
  (userId === undefined ? undefined : requestState.lifetimesOf(userId)) ?? domainSettings.defaults().sessions;

/** For a request that makes something for somebody of whom nothing was stored before. */
export async function readLifetimes({ requestState, domainSettings }: LifetimeDeps, userId: string): Promise<void> {
  requestState.noteLifetimes(userId, (await domainSettings.ofUser(userId)).sessions);
}
