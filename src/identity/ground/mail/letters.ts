// Every mail, and the values that its template can use.

/** Text that people chose. It is cleaned (see `cleanText`) and escaped. */
interface TextValues {
  'confirm-email': { name: string };
  'reset-password': { name: string };
  invitation: { inviter: string; organization: string };
  'change-email': { name: string };
  'password-elsewhere': { name: string };
  'account-exists': Record<never, string>;
  'registration-approved': { name: string };
  /** `reason`: may be empty. */
  'registration-refused': { name: string; reason: string };
  'password-changed': { name: string };
  'email-changed': { name: string };
  'passkey-added': { name: string; passkey: string };
  'passkey-removed': { name: string; passkey: string };
  'credential-received': { name: string; credential: string };
  'sign-in-requested': { name: string; application: string };
  'provider-linked': { name: string; provider: string };
  'provider-unlinked': { name: string; provider: string };
  'two-factor-on': { name: string };
  'two-factor-off': { name: string };
  'two-factor-replaced': { name: string };
  'recovery-codes-made': { name: string };
  'deletion-scheduled': { name: string };
  'deletion-now': { name: string };
  'deletion-cancelled': { name: string };
  test: Record<never, string>;
}

/** URLs of pages of the service. */
interface UrlValues {
  'confirm-email': { link: string };
  'reset-password': { link: string };
  invitation: { link: string };
  'change-email': { link: string };
  /** The page for a forgotten password. */
  'account-exists': { reset: string };
}

/** Times in milliseconds since 1970, shown in the reader's language. */
interface TimeValues {
  'password-changed': { at: number };
  'email-changed': { at: number };
  'passkey-added': { at: number };
  'passkey-removed': { at: number };
  'credential-received': { at: number };
  'sign-in-requested': { at: number };
  'provider-linked': { at: number };
  'provider-unlinked': { at: number };
  'two-factor-on': { at: number };
  'two-factor-off': { at: number };
  'two-factor-replaced': { at: number };
  'recovery-codes-made': { at: number };
  'deletion-scheduled': { at: number };
  'deletion-now': { at: number };
  'deletion-cancelled': { at: number };
  test: { at: number };
}

export type TemplateName = keyof TextValues;
export type Values<T extends TemplateName> = TextValues[T] &
  (T extends keyof UrlValues ? UrlValues[T] : unknown) &
  (T extends keyof TimeValues ? TimeValues[T] : unknown);

export interface Letter<T extends TemplateName> {
  /** One e-mail address. */
  readonly to: string;
  /** That of the reader: the mail has its name, colours, logo and language. Undefined: those of the service. */
  readonly domainId?: string | undefined;
  readonly template: T;
  /** The reader's language, such as `es` or `es-MX`. GATEHOUSE_IDENTITY_MAIL_LANGUAGE if it is unknown or has no templates. */
  readonly language?: string | undefined;
  readonly values: Values<T>;
  /** How long to try sending it, and the lifetime of its link. The default is GATEHOUSE_IDENTITY_LINK_SECONDS, or a day without a link. */
  readonly seconds?: number | undefined;
}

/** `sentence`: a longer text. */
export type ValueKind = 'text' | 'sentence' | 'url' | 'time' | 'duration';

/** In every mail: the name of the service, and the URL of the account page. */
const COMMON: Readonly<Record<string, ValueKind>> = { service: 'text', account: 'url' };
const LINK: Readonly<Record<string, ValueKind>> = { link: 'url', lifetime: 'duration' };
const PERSON: Readonly<Record<string, ValueKind>> = { name: 'text' };
const NEWS: Readonly<Record<string, ValueKind>> = { ...PERSON, at: 'time' };

export const TEMPLATES: Readonly<Record<TemplateName, Readonly<Record<string, ValueKind>>>> = {
  'confirm-email': { ...COMMON, ...PERSON, ...LINK },
  'reset-password': { ...COMMON, ...PERSON, ...LINK },
  invitation: { ...COMMON, ...LINK, inviter: 'text', organization: 'text' },
  'change-email': { ...COMMON, ...PERSON, ...LINK },
  'password-elsewhere': { ...COMMON, ...PERSON },
  'account-exists': { ...COMMON, reset: 'url' },
  'registration-approved': { ...COMMON, ...PERSON },
  'registration-refused': { ...COMMON, ...PERSON, reason: 'sentence' },
  'password-changed': { ...COMMON, ...NEWS },
  'email-changed': { ...COMMON, ...NEWS },
  'passkey-added': { ...COMMON, ...NEWS, passkey: 'text' },
  'passkey-removed': { ...COMMON, ...NEWS, passkey: 'text' },
  'credential-received': { ...COMMON, ...NEWS, credential: 'text' },
  'sign-in-requested': { ...COMMON, ...NEWS, application: 'text' },
  'provider-linked': { ...COMMON, ...NEWS, provider: 'text' },
  'provider-unlinked': { ...COMMON, ...NEWS, provider: 'text' },
  'two-factor-on': { ...COMMON, ...NEWS },
  'two-factor-off': { ...COMMON, ...NEWS },
  'two-factor-replaced': { ...COMMON, ...NEWS },
  'recovery-codes-made': { ...COMMON, ...NEWS },
  'deletion-scheduled': { ...COMMON, ...NEWS },
  'deletion-now': { ...COMMON, ...NEWS },
  'deletion-cancelled': { ...COMMON, ...NEWS },
  test: { ...COMMON, at: 'time' },
};

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as readonly TemplateName[];
/** A template of a mail with a link must contain it. */
export const REQUIRED_VALUE = 'link';
