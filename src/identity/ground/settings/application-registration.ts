// Settings about applications that register themselves: the policy of the service, which each domain may have for itself.
import { setting } from '../../../platform/config/index.ts';

const PREFIX = 'GATEHOUSE_IDENTITY_APPLICATION_REGISTRATION';

/** By their short names: device_code is `urn:ietf:params:oauth:grant-type:device_code`. */
export const REGISTERED_GRANTS = ['authorization_code', 'refresh_token', 'device_code'] as const;
/** Nothing about roles, and nothing by which accounts are provisioned. */
export const REGISTERED_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;

const HOST = /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d-]*[a-z][a-z\d-]*$/;

const words = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

const someOf = <const Word extends string>(name: string, fallback: readonly Word[], known: readonly Word[], about: string) =>
  setting.custom<readonly Word[]>(`${PREFIX}_${name}`, fallback, `of ${known.join(', ')}`, about, (text) =>
    words(text).map((word) => {
      const found = known.find((one) => one === word);
      if (found === undefined) throw new Error(`must be some of ${known.join(', ')}, separated by commas, not "${word}"`);
      return found;
    }),
  );

export const applicationRegistrationSettings = {
  applicationRegistration: setting.choice(
    PREFIX,
    'off',
    ['off', 'token', 'open'],
    'Whether applications can register themselves (RFC 7591): not at all, with a token that an administrator or a manager of the domain made, or any program.',
  ),
  applicationDocuments: setting.choice(
    `${PREFIX}_DOCUMENTS`,
    'off',
    ['off', 'allowed'],
    'Whether the address of a document can be the client id of an application that nobody registered (client id metadata documents). The service fetches the document.',
  ),
  applicationRedirects: setting.custom<readonly string[]>(
    `${PREFIX}_REDIRECTS`,
    ['https', 'loopback'],
    'https, loopback, or hosts',
    'Where applications that register themselves may send people back: https for every host with https, loopback for a program on the machine of the person, or hosts such as app.example.org and *.example.org, separated by commas.',
    (text) =>
      words(text.toLowerCase()).map((word) => {
        if (word === 'https' || word === 'loopback' || HOST.test(word)) return word;
        throw new Error(`must be https, loopback, or hosts such as *.example.org, not "${word}"`);
      }),
  ),
  applicationGrants: someOf(
    'GRANTS',
    ['authorization_code', 'refresh_token'],
    REGISTERED_GRANTS,
    'The ways to get tokens that they may use.',
  ),
  applicationScopes: someOf('SCOPES', REGISTERED_SCOPES, REGISTERED_SCOPES, 'The scopes that they may ask for.'),
  applicationLimit: setting.number(
    `${PREFIX}_LIMIT`,
    100,
    { min: 1, max: 10_000, unit: 'applications' },
    'How many of them there may be that nobody has kept.',
  ),
  applicationDays: setting.number(
    `${PREFIX}_DAYS`,
    30,
    { min: 1, max: 365, unit: 'days' },
    'After how many days without use they are deleted. One that was never used is deleted after a day.',
  ),
} as const;
