// Wire format of what happens when a person signs in.
import { isoTime } from '../../../platform/clock.ts';
import { type Static, t } from '../../../platform/http/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { Links } from '../../ground/resource/index.ts';
import type { SignInPreviewOf, Way } from './sign-in-preview.rules.ts';

const SignInWay = t.object({
  way: t.oneOf('password', 'directory', 'passkey', 'wallet', 'provider'),
  open: t.nullable(t.boolean({ description: 'Whether the person gets in by it. Null: only administrators learn it.' })),
  why: t.nullable(t.oneOf('none', 'off', 'locked_out', 'provider_off', 'account_closed', 'gone')),
  until: t.nullable(t.string({ description: 'When it opens by itself.' })),
  asks: t.nullable(
    t.array(t.oneOf('new_password', 'code', 'passkey', 'wallet', 'new_passkey', 'new_factor'), {
      description:
        'What the person is asked next. `new_password` comes first; of the others one is enough. Null: only administrators learn it.',
    }),
  ),
  provider: t.nullable(
    t.object({
      id: t.string(),
      name: t.string(),
      is_home: t.boolean({ description: 'The domain of the e-mail address leads there.' }),
      is_linked: t.boolean(),
    }),
  ),
});

const SignInPreview = t.object({
  user_id: t.string(),
  domain_id: t.string(),
  refusals: t.array(
    t.string({
      description:
        'What refuses the person whichever way they come: `user_disabled`, `user_inactive`, `domain_of_user_disabled`.',
    }),
  ),
  paused_until: t.nullable(
    t.string({
      description: 'After wrong passwords, further ones wait a little. The right one does not have to wait until then.',
    }),
  ),
  ways: t.array(SignInWay),
  second_factor: t.nullable(
    t.object({
      policy: {
        ...t.oneOf('optional', 'required', 'exempt'),
        description: 'Whether the person must have one. `exempt`: everybody of the domain must, but not this account.',
      },
      enabled: t.boolean(),
      devices: t.integer({ description: 'Remembered ones, where no code is asked for.' }),
      locked_until: t.nullable(t.string({ description: 'After too many wrong codes, none is accepted until then.' })),
    }),
  ),
  terms: t.nullable(
    t.object(
      { version: t.string(), url: t.string() },
      {},
      {
        description:
          'What the person accepts at the end of the next sign-in at the pages, whichever way they come. Null: nothing. Programs are not asked.',
      },
    ),
  ),
  settings: t.array(
    t.object({
      key: t.string(),
      value: t.nullable(t.string()),
      source: t.oneOf('domain_file', 'environment', 'file', 'directory', 'domain', 'service', 'default'),
    }),
    { description: 'What decides it, with where each comes from, as in the settings of the domain.' },
  ),
  links: Links,
});

export const SignInPreviewEnvelope = t.envelope('sign_in', SignInPreview);

const timeOf = (seconds: number | undefined): string | null => (seconds === undefined ? null : isoTime(seconds * 1000));

const renderWay = ({ way, open, why, until, asks, provider }: Way): Static<typeof SignInWay> => ({
  way,
  open: open ?? null,
  why: why ?? null,
  until: timeOf(until),
  asks: asks ? [...asks] : null,
  provider: provider ? { id: provider.id, name: provider.name, is_home: provider.isHome, is_linked: provider.isLinked } : null,
});

export const renderPreview = (
  self: string,
  { id, domain_id }: Pick<UserRow, 'id' | 'domain_id'>,
  { refusals, pausedUntil, ways, secondFactor, terms, settings }: SignInPreviewOf,
): Static<typeof SignInPreview> => ({
  user_id: id,
  domain_id,
  refusals: [...refusals],
  paused_until: timeOf(pausedUntil),
  ways: ways.map(renderWay),
  second_factor: secondFactor
    ? {
        policy: secondFactor.policy,
        enabled: secondFactor.enabled,
        devices: secondFactor.devices,
        locked_until: timeOf(secondFactor.lockedUntil),
      }
    : null,
  terms: terms ? { version: terms.version, url: terms.url } : null,
  settings: settings.map((one) => ({ ...one })),
  links: { self },
});

t.name({ SignInWay, SignInPreview, SignInPreviewEnvelope });
