// Reads what the account page shows.
import { findConsumer } from '../../consumers/index.ts';
import type { Database } from '../../database.ts';
import type { PasskeyPolicy, Passkeys } from '../../passkeys/index.ts';
import { parseJson } from '../../resource/index.ts';
import type { Devices, Factor } from '../../two-factor/index.ts';
import type { Profile, UserWithExpiry } from '../../users/index.ts';
import type { AccountPageData } from '../pages/account-page.ts';
import type { Reader } from '../pages/look.ts';
import type { Records } from '../provider/records/records.ts';
import type { SignedInPerson } from './signed-in-person.ts';

export interface AccountPageDeps {
  readonly db: Database;
  readonly records: Records;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly passkeys: Passkeys;
  readonly passkeyPolicy: PasskeyPolicy;
  organizationsOf(userId: string): Promise<readonly { readonly name: string }[]>;
}

/** The result of a step, to be shown on the page. */
export type AccountPageResult = Pick<AccountPageData, 'proposal' | 'newPasskey' | 'recoveryCodes' | 'success' | 'error'>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The language and time zone of a person, from their profile. */
export function readerOf(user: Pick<UserWithExpiry, 'profile'>): Reader {
  const { preferredLanguage, locale, timezone } = parseJson<Profile>(user.profile);
  const languages = [textOf(preferredLanguage), textOf(locale)].filter((tag) => tag !== undefined);
  return { languages, zone: textOf(timezone) };
}

function namesOf(user: UserWithExpiry): Pick<AccountPageData, 'name' | 'userName' | 'email'> {
  const { displayName, name = {} } = parseJson<Profile>(user.profile);
  const { formatted } = name as { formatted?: unknown };
  const { email } = parseJson<{ email?: unknown }>(user.extra);
  return {
    name: typeof displayName === 'string' ? displayName : typeof formatted === 'string' ? formatted : user.name,
    userName: user.name,
    email: typeof email === 'string' ? email : undefined,
  };
}

/** Applications that the person gave access to. */
async function applicationsOf({ db, records }: AccountPageDeps, userId: string): Promise<AccountPageData['applications']> {
  const grants = [...(await records.listOfUser(userId, 'Consent')), ...(await records.listOfUser(userId, 'Grant'))];
  const applications = await Promise.all(
    [...new Set(grants.map(({ payload }) => payload.clientId))].map(async (clientId) => {
      const consumer = clientId === undefined ? undefined : await findConsumer(db.read, clientId);
      return consumer ? [{ id: consumer.id, name: consumer.name }] : [];
    }),
  );
  return applications.flat();
}

/** Undefined where there are none to be had. */
async function passkeysOf(
  { passkeys, passkeyPolicy }: AccountPageDeps,
  user: UserWithExpiry,
): Promise<AccountPageData['passkeys']> {
  if (!(await passkeyPolicy.isAllowed(user))) return undefined;
  return (await passkeys.list(user.id)).map((row) => ({
    id: row.id,
    name: row.name,
    isSynced: row.synced === 1,
    added: row.created_at,
    lastUsed: row.last_used_at ?? undefined,
  }));
}

export async function readAccountPageData(
  deps: AccountPageDeps,
  { user, session }: SignedInPerson,
  token: string,
  result: AccountPageResult,
): Promise<AccountPageData> {
  const { records, factor, devices } = deps;
  const sessions = await records.listOfUser(user.id, 'Session');
  return {
    token,
    ...namesOf(user),
    organizations: await deps.organizationsOf(user.id),
    sessions: sessions.map(({ payload }) => ({
      signedInAt: Number(payload.loginTs),
      current: payload.uid === session.uid,
    })),
    devices: (await devices.list(user.id)).map((device) => ({
      id: device.id,
      agent: device.user_agent || device.id,
      lastUsed: device.last_used_at,
    })),
    applications: await applicationsOf(deps, user.id),
    passkeys: await passkeysOf(deps, user),
    factor: (await factor.isEnabled(user.id)) ? await factor.data(user.id) : undefined,
    ...result,
  };
}
