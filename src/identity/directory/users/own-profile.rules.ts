// Users change their own names, language and time zone.
import { tagOf } from '../../access/context/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import { isLanguage, isPersonName, isZone } from './person-attributes.ts';
import { type Profile, sharedAfter, withNameParts } from './profile.ts';
import { lockUser, updateUser } from './users.store.ts';

/** By SCIM's names. An empty text removes the attribute; what is undefined stays. */
export interface OwnProfile {
  readonly displayName?: string | undefined;
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
  readonly preferredLanguage?: string | undefined;
  readonly timezone?: string | undefined;
}

const ATTRIBUTES = ['displayName', 'preferredLanguage', 'timezone'] as const;
const NAME_PARTS = ['givenName', 'familyName'] as const;

/** The first attribute that is not acceptable. */
function wrongAttribute(values: OwnProfile): keyof OwnProfile | undefined {
  const name = (['displayName', ...NAME_PARTS] as const).find((one) => !isPersonName(values[one] ?? ''));
  if (name) return name;
  if (values.preferredLanguage && !isLanguage(values.preferredLanguage)) return 'preferredLanguage';
  return values.timezone && !isZone(values.timezone) ? 'timezone' : undefined;
}

function changedProfile(stored: Profile, values: OwnProfile): Profile {
  const nameParts = Object.fromEntries(NAME_PARTS.flatMap((part) => (values[part] === undefined ? [] : [[part, values[part]]])));
  const others = Object.fromEntries(ATTRIBUTES.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));
  return withNameParts({ ...stored, ...others }, nameParts);
}

export function createOwnProfiles({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  /** The attribute that is refused; undefined when the profile was changed. */
  return async function changeProfile(actor: Actor, id: string, values: OwnProfile): Promise<keyof OwnProfile | undefined> {
    const trimmed = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value?.trim()])) as OwnProfile;
    const wrong = wrongAttribute(trimmed);
    if (wrong) return wrong;
    await change(actor, async ({ tx, invalidate, audit }) => {
      const user = (await lockUser(db, tx, id)) ?? fail('user.not_found', { id });
      const stored = parseJson<Profile>(user.profile);
      const profile = changedProfile(stored, trimmed);
      const extra = sharedAfter(parseJson(user.extra), stored, profile);
      await updateUser(tx, id, { profile: JSON.stringify(profile), extra: JSON.stringify(extra), updated_at: clock.now() });
      invalidate(tagOf.user(id));
      audit(
        'user.profile_changed',
        { kind: 'user', id },
        { fields: Object.keys(values).filter((key) => values[key as keyof OwnProfile] !== undefined) },
      );
    });
    return undefined;
  };
}
