// A person edits their names, picture, language and time zone.

import { languageFor } from '../../../platform/languages/index.ts';
import type { Pictures } from '../../directory/pictures/index.ts';
import type { OwnProfile, Profile, Users, UserWithExpiry } from '../../directory/users/index.ts';
import { LANGUAGE_COOKIE, setCookie } from '../../ground/look/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { picturePath } from '../../openid/paths/index.ts';
import { type ProfileOnPage, pictureSection, profileSection } from './profile.page.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface ProfileDeps {
  readonly users: Users;
  readonly pictures: Pictures;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A directory or a provisioning client would overwrite the names with its own. */
const areNamesManaged = async ({ users }: ProfileDeps, user: UserWithExpiry): Promise<boolean> =>
  user.external_id !== null || (await users.isInDirectory(user.id));

function profileOf(user: UserWithExpiry): Omit<ProfileOnPage, 'isManaged'> {
  const { displayName, name, preferredLanguage, timezone } = parseJson<Profile>(user.profile);
  const { givenName, familyName } = (name ?? {}) as Readonly<Record<string, unknown>>;
  return {
    displayName: textOf(displayName),
    givenName: textOf(givenName),
    familyName: textOf(familyName),
    preferredLanguage: textOf(preferredLanguage),
    timezone: textOf(timezone),
  };
}

const changeProfile =
  (deps: ProfileDeps): AccountStep['run'] =>
  async ({ look: { words }, person: { user, actor }, browser }, form) => {
    const names = ['displayName', 'givenName', 'familyName'] as const;
    const isManaged = await areNamesManaged(deps, user);
    const values: OwnProfile = {
      ...Object.fromEntries(names.map((name) => [name, isManaged ? undefined : form.text(name)])),
      preferredLanguage: form.text('preferredLanguage'),
      timezone: form.text('timezone'),
    };
    const wrong = await deps.users.changeProfile(actor, user.id, values);
    if (wrong) return { error: words.wrongProfile[wrong], field: wrong };
    const language = languageFor([form.text('preferredLanguage')]);
    if (language) setCookie(browser, LANGUAGE_COOKIE, language, '/');
    else setCookie(browser, LANGUAGE_COOKIE, '', '/', 0);
    return { done: 'profileIsChanged' };
  };

const replacePicture =
  ({ pictures }: ProfileDeps): AccountStep['run'] =>
  async ({ look: { words }, person: { user, actor } }, form) => {
    const file = form.file('picture');
    if (!file || file.length === 0) return { error: words.noPictureChosen, field: 'picture' };
    const problem = await pictures.replace(actor, user.id, file);
    return problem ? { error: words.pictureProblems[problem], field: 'picture' } : { done: 'pictureIsChanged' };
  };

const removePicture =
  ({ pictures }: ProfileDeps): AccountStep['run'] =>
  async ({ person: { user, actor } }) => {
    await pictures.remove(actor, user.id);
    return { done: 'pictureIsRemoved' };
  };

export const createProfileSections = (deps: ProfileDeps): AccountSection[] => [
  {
    page: 'profile',
    async show(visit) {
      const { user } = visit.person;
      return profileSection(visit, { ...profileOf(user), isManaged: await areNamesManaged(deps, user) });
    },
    steps: { profile: { run: changeProfile(deps) } },
  },
  {
    page: 'profile',
    async show(visit) {
      const id = await deps.pictures.idOf(visit.person.user.id);
      return pictureSection(visit, id === undefined ? undefined : picturePath(id));
    },
    steps: { picture: { run: replacePicture(deps) }, 'picture-remove': { run: removePicture(deps) } },
  },
];
