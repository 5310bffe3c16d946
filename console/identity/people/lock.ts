// Who is locked out, or has to wait, after wrong passwords and codes, and how the screens of people say it.
import { html, nothing, type TemplateResult } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { numberText, time } from '../../shared/time.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface LockReason {
  readonly reason: 'wrong_passwords' | 'wrong_codes' | 'wrong_answers';
  readonly state: 'locked_out' | 'paused';
  readonly failures: number;
  readonly since: string | null;
  readonly until: string;
}

export interface Lock {
  readonly user_id: string;
  readonly state: 'open' | 'paused' | 'locked_out';
  readonly until: string | null;
  readonly reasons: readonly LockReason[];
}

/** `path`: of the person, in the API. */
export const lockPath = (path: string): string => `${path}/OS-LOCK/lock`;

export const readLock = async (path: string, signal: AbortSignal): Promise<Lock> =>
  (await api.get<{ lock: Lock }>(lockPath(path), { signal })).lock;

/** Of one page of people, by their ids: in one request. */
export async function readLocks(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Lock>> {
  if (ids.length === 0) return new Map();
  const { locks } = await api.get<{ locks: readonly Lock[] }>('/v3/OS-LOCK/locks', { query: { user_id: ids.join(',') }, signal });
  return new Map(locks.map((lock) => [lock.user_id, lock]));
}

/** Until when, and why in a word. Nothing for those who are not locked. */
export function lockBadge(lock: Lock | undefined): Content {
  const { people } = words;
  if (!lock || lock.state === 'open') return nothing;
  const badge =
    lock.state === 'paused'
      ? html`<span class="badge warn">${people.paused}</span>`
      : html`<span class="badge bad">${people.lockedOut}</span>`;
  const causes = lock.reasons.map(({ reason }) => people.lockCauses[reason]).join(', ');
  return html`${badge} <span class="soft">${people.until} ${time(lock.until)} (${causes})</span>`;
}

/** Why in full, and since when. */
export const lockReasons = ({ reasons }: Lock): TemplateResult =>
  html`<ul class="plain-list">${reasons.map(
    ({ reason, state, failures, since }) =>
      html`<li>${words.people.wrongCounts[reason](failures, numberText(failures))} ${words.people.lockMeans[state]}
        ${since === null ? nothing : html`<span class="soft">${words.people.lockedSince} ${time(since)}</span>`}</li>`,
  )}</ul>`;
