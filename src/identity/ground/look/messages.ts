// What pages say about a refusal, in the reader's language. The texts of faults are for programs and in English: no page shows them.
import { Fault } from '../../../platform/faults/index.ts';
import type { identityFaults } from '../faults.ts';
import type { PageWords } from './words/index.ts';

type Message = (words: PageWords, values: Fault['values']) => string;

/** By the names of the base API. */
const BAD_VALUES: Readonly<Record<string, (words: PageWords) => string>> = {
  name: (words) => words.invitationBadName,
  password: (words) => words.badLength,
  given_name: (words) => words.wrongProfile.givenName,
  family_name: (words) => words.wrongProfile.familyName,
  language: (words) => words.wrongProfile.preferredLanguage,
};

/** Faults that people can meet on a page. A test asks for an entry for each fault, or for its place among those of the APIs. */
const MESSAGES: Partial<Readonly<Record<keyof typeof identityFaults, Message>>> = {
  'request.bad_value': (words, { field }) => BAD_VALUES[String(field)]?.(words) ?? words.badValue,
  'request.invalid_field': (words) => words.badValue,
  'request.malformed_json': (words) => words.formText,
  'request.malformed_url': (words) => words.formText,
  'request.unreadable': (words) => words.formText,
  'request.timeout': (words) => words.formText,
  'request.too_large': (words) => words.tooLarge,
  'request.media_type': (words) => words.formText,
  'request.charset': (words) => words.formText,
  'request.content_encoding': (words) => words.formText,
  'route.not_found': (words) => words.noPageText,
  'route.method_not_allowed': (words) => words.formText,

  'auth.password_expired': (words) => words.expiredPassword,
  'auth.forbidden': (words) => words.notAllowed,
  'domain.not_found': (words) => words.domainIsGone,
  'resource.duplicate': (words) => words.nameOrAddressTaken,

  'user.not_found': (words) => words.accountIsGone,
  'user.email_changed': (words) => words.emailHasChanged,
  'user.name_alike': (words) => words.nameOrAddressTaken,
  'user.field_missing': (words) => words.fieldMissing,
  'user.terms': (words) => words.termsNotAccepted,
  'user.password_short': (words, { least }) => words.passwordShort(Number(least)),
  'user.password_common': (words) => words.passwordCommon,
  // The text is the operator's, in the language of their people.
  'user.password_rule': (words, { why }) => words.passwordRefused(String(why)),
  'user.password_pattern': (words) => words.passwordPattern,
  'user.password_reused': (words) => words.passwordReused,
  'user.password_same': (words) => words.passwordSame,
  'user.password_too_young': (words, { days }) => words.passwordTooYoung(Number(days)),
  'user.password_locked': (words) => words.passwordLocked,

  'websso.untrusted_dashboard': (words) => words.unknownDashboard,

  'directory.read_only': (words) => words.inDirectory,
  'directory.password': (words) => words.passwordInDirectory,
  'directory.no_new': (words) => words.noNewInDirectory,

  'link.ended': (words) => words.linkEndedText,
  'account_deletion.not_found': (words) => words.deletionIsOver,
  'account_deletion.off': (words) => words.deletionIsOff,
  'account_deletion.managed': (words) => words.deletionRefused.managed,
  'account_deletion.last_administrator': (words) => words.deletionRefused.last_administrator,
  'account_deletion.wrong_name': (words) => words.deletionWrongName,

  'invitation.off': (words) => words.invitationsAreOff,
  'invitation.link_ended': (words) => words.invitationEndedText,
  'invitation.void': (words) => words.invitationVoidText,
  'invitation.account_exists': (words) => words.invitationKnown,
  'user.name_is_address': (words) => words.invitationNameIsAddress,
  'invitation.other_account': (words) => words.invitationOtherAccount,

  'two_factor.not_enabled': (words) => words.twoFactorIsOffAlready,
  'two_factor.required': (words) => words.twoFactorMustStay,
  'two_factor.last': (words) => words.twoFactorIsLast,
  'device.not_found': (words) => words.isGone,
  'device.stolen': (words) => words.deviceStolen,
  'passkey.not_found': (words) => words.isGone,
  'passkey.refused': (words) => words.passkeyNotAdded,
  'passkey.too_many': (words, { most }) => words.passkeysFull(Number(most)),
  'passkey.known': (words) => words.passkeyKnown,
  'passkey.required': (words) => words.passkeyMustStay,
  'passkey.last_way_in': (words) => words.passkeyLastWayIn,

  'identity_provider.not_found': (words) => words.providerIsGone,
  // With the name of the provider in sign-in/provider-steps.ts.
  'identity_provider.refused': (words) => words.providerAccountRefused,
  'identity_provider.no_entry': (words, { why }) => words.providerRefusals[String(why)] ?? words.providerAccountRefused,
  'provider_link.not_found': (words) => words.isGone,
  'provider_link.last_way_in': (words) => words.providerLastWayIn,

  'role_credential.not_available': (words) => words.rolesNotAvailable,
  'role_credential.too_many_offers': (words, { most }) => words.tooManyOffers(Number(most)),
  'issued_credential.not_found': (words) => words.isGone,
};

/** Undefined if there is no text for the fault. */
export function textOfFault(words: PageWords, { code, values }: Pick<Fault, 'code' | 'values'>): string | undefined {
  return Object.hasOwn(MESSAGES, code) ? MESSAGES[code as keyof typeof MESSAGES]?.(words, values) : undefined;
}

/** Why a form was refused, and how the page is sent that says so. */
export interface PageRefusal {
  readonly message: string;
  /** Of the form. */
  readonly field?: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export const refusal = (message: string, status = 400, field?: string): PageRefusal => ({ message, field, status, headers: {} });

/** The field that a fault is about: forms for a new password or a new account call them alike. */
function fieldOf({ code, values }: Fault): string | undefined {
  if (code.startsWith('user.password')) return 'new_password';
  if (code.startsWith('user.name')) return 'name';
  if (code === 'user.terms') return 'terms';
  if (code !== 'request.bad_value' && code !== 'user.field_missing') return undefined;
  const field = String(values.field);
  if (!Object.hasOwn(BAD_VALUES, field)) return undefined;
  return field === 'password' ? 'new_password' : field;
}

/** The seconds of Retry-After. */
export const secondsToWait = ({ headers }: Pick<Fault, 'headers'>): number => Number(headers['Retry-After'] ?? 60);

/**
 * `otherwise`: for a wrong password, code or passkey. `status`: unless the service is busy or was asked too often. Rethrows unexpected
 * errors.
 */
export function refusalOf(words: PageWords, error: unknown, otherwise: string, status = 400): PageRefusal {
  if (!(error instanceof Fault)) throw error;
  if (error.status === 429 || error.status === 503) {
    const message = error.status === 429 ? words.tooMany(secondsToWait(error)) : words.busy;
    return { message, status: error.status, headers: { 'Retry-After': String(secondsToWait(error)) } };
  }
  if (error.status >= 500) throw error;
  if (error.code === 'auth.required' && otherwise !== '') return refusal(otherwise, status);
  return refusal(textOfFault(words, error) ?? words.notPossible, status, fieldOf(error));
}
