// Users: accounts in a domain, with passwords, options and extra attributes.
// People are searched by words (words.ts).

export { type ClosingDeps, createClosing } from './closing.rules.ts';
export {
  isEmailConfirmed,
  isMainEmail,
  lockEmail,
  ownersOfEmail,
  usersByMainEmail,
  usersWithConfirmedEmail,
} from './confirmed-email.ts';
export type { Created, NewPerson } from './create-many.rules.ts';
export { displayNameOf } from './display-name.ts';
export { isPlainAddress } from './email-text.ts';
export { isExempt } from './exemption.ts';
export type { ImportedPerson } from './imported.rules.ts';
export { exactNameKey, nameKey, unknownUserKey } from './name-key.ts';
export { areAlike, lookalikeForm, nameProblem } from './names.ts';
export { isLikeAddress, isOwnName, withoutAddress } from './own-name.ts';
export type { BesideExpired } from './own-password.rules.ts';
export type { OwnProfile } from './own-profile.rules.ts';
export { isLanguage, isPersonName, isZone } from './person-attributes.ts';
export { type Person, type Profile, sharedText, withMainEmail } from './profile.ts';
export { type Recipient, recipientOf } from './recipient.ts';
export { endUserTokensBefore } from './revoke-tokens.rules.ts';
export { insertUserRow, updateUserRow } from './rows.rules.ts';
export { pageOfUsers } from './users.lists.ts';
export { mountUsers } from './users.routes.ts';
export { createUsers, type Users, userFacts } from './users.rules.ts';
export { newUserFields, Password, renderUser, shownUserFields, User, UserEnvelope, UserList, userText } from './users.schema.ts';
export {
  findUser,
  type UserWithExpiry,
} from './users.store.ts';
