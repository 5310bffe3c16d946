// The recipient of mails about an account.
import type { UserRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { displayNameOf } from './display-name.ts';
import { mainEmail, type Profile } from './profile.ts';

export interface Recipient {
  /** The main e-mail address, if there is one. It was not checked: mail may not be possible to it. */
  readonly address: string | undefined;
  readonly name: string;
  /** The preferred language, if it is known. */
  readonly language: string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

export function recipientOf(user: Pick<UserRow, 'name' | 'profile'>): Recipient {
  const known = parseJson<Profile>(user.profile);
  return {
    address: mainEmail(known),
    name: displayNameOf(user),
    language: text(known.preferredLanguage) ?? text(known.locale),
  };
}
