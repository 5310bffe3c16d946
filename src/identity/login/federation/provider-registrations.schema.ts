// The registration of the service at a provider, on the wire.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { ProviderRegistrationRow } from '../../ground/database/index.ts';
import { SettingsToRegister } from './openid-settings.schema.ts';

const NewRegistration = t.object(
  {},
  {
    initial_access_token: t.nullable(
      t.string({
        minLength: 1,
        maxLength: 4096,
        description: 'What the provider gave to allow it, if it wants one. It is used once and not stored.',
      }),
    ),
    openid: SettingsToRegister,
  },
  { description: 'Without `openid`, with the settings that are stored.' },
);
export const RegisterAtProvider = t.envelope('registration', NewRegistration);

const ProviderRegistration = t.object({
  registered_at: t.string(),
  client_secret_expires_at: t.nullable(t.string({ description: 'Register again before that.' })),
});
export const ProviderRegistrationEnvelope = t.envelope('registration', ProviderRegistration);
export const renderRegistration = ({ registered_at: at, secret_expires_at: ends }: ProviderRegistrationRow) => ({
  registration: {
    registered_at: isoTime(at * 1000),
    client_secret_expires_at: ends === null ? null : isoTime(ends * 1000),
  },
});

t.name({ NewRegistration, RegisterAtProvider, ProviderRegistration, ProviderRegistrationEnvelope });
