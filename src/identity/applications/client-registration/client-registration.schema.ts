// The JSON of applications that register themselves: as protocols have it (RFC 7591, RFC 7592), and for those who look after them.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { ConsumerRow, RegistrationTokenRow } from '../../ground/database/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';
import { isStrangers } from '../consumers/index.ts';

const time = (seconds: number): string => isoTime(seconds * 1000);

const metadata = {
  redirect_uris: t.array(t.string()),
  client_name: t.string(),
  client_uri: t.string(),
  grant_types: t.array(t.string()),
  response_types: t.array(t.string()),
  scope: t.string({ description: 'Separated by blanks.' }),
  token_endpoint_auth_method: t.string(),
  post_logout_redirect_uris: t.array(t.string()),
};
const example = {
  client_name: 'Assistant',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'openid offline_access',
};
/** For the API document: the handler checks it, because protocols have error codes of their own. */
export const ClientMetadata = t.open({}, metadata, { examples: [example] });
export const ClientChanges = t.open({ client_id: t.string() }, metadata, { examples: [{ client_id: 'a0c5', ...example }] });
/** What is accepted before that. */
export const AnyMetadata = t.open({});
export const ClientInformation = t.open(
  {
    client_id: t.string(),
    client_id_issued_at: t.integer(),
    registration_access_token: t.string({ description: 'Manages this registration. A change of the registration replaces it.' }),
    registration_client_uri: t.string(),
    client_name: t.string(),
    redirect_uris: t.array(t.string()),
    grant_types: t.array(t.string()),
    response_types: t.array(t.string()),
    scope: t.string(),
    token_endpoint_auth_method: t.string(),
  },
  {
    client_secret: t.string(),
    client_secret_expires_at: t.integer({ description: '0: it lasts as long as the registration.' }),
  },
);

const RegistrationToken = t.object(
  {
    id: t.string(),
    name: t.string(),
    domain_id: t.string(),
    uses_left: t.integer(),
    created_at: t.string(),
    expires_at: t.string(),
    last_used_at: t.nullable(t.string()),
  },
  { token: t.string({ description: 'Returned only when it is created.' }) },
  {
    examples: [
      {
        id: '5b1f1c0e4f0e4f6c8f0b2c1d3e4f5a6b',
        name: 'Build server',
        domain_id: 'default',
        uses_left: 1,
        created_at: '2026-11-16T08:10:00.000000Z',
        expires_at: '2026-11-17T08:10:00.000000Z',
        last_used_at: null,
      },
    ],
  },
);
export const RegistrationTokenEnvelope = t.envelope('registration_token', RegistrationToken);
export const RegistrationTokenList = t.object({ registration_tokens: t.array(RegistrationToken) });
const NewToken = t.object(
  { name: t.string({ minLength: 1, maxLength: 255, pattern: '\\S' }) },
  {
    domain_id: t.string({ minLength: 1, maxLength: 64 }),
    uses: t.integer({ minimum: 1, maximum: 1000, description: 'How many applications may register with it. Not given: one.' }),
    lifetime_seconds: t.integer({ minimum: 60, maximum: 2_592_000, description: 'Not given: one day. At most 30 days.' }),
  },
  { examples: [{ name: 'Build server', uses: 1, lifetime_seconds: 86_400 }] },
);
export const NewRegistrationToken = t.envelope('registration_token', NewToken);

const RegisteredApplication = t.object(
  {
    id: t.string(),
    name: t.string({ description: 'As it calls itself. Nobody has verified it.' }),
    registered_by: t.oneOf('token', 'open', 'document'),
    registered_with: t.nullable(t.string({ description: 'The name of what let it in, if that had one.' })),
    domain_id: t.nullable(
      t.string({ description: 'Whose people may sign in; null: those of every domain whose policy says so.' }),
    ),
    redirect_uris: t.array(t.string()),
    created_at: t.string(),
    expires_at: t.nullable(t.string({ description: 'It is deleted then unless it is used before; null: it was kept.' })),
    kept: t.boolean(),
  },
  {},
  {
    examples: [
      {
        id: 'a0c5',
        name: 'Assistant',
        registered_by: 'open',
        registered_with: null,
        domain_id: 'default',
        redirect_uris: ['http://127.0.0.1/callback'],
        created_at: '2026-11-16T08:10:00.000000Z',
        expires_at: '2026-12-16T08:10:00.000000Z',
        kept: false,
      },
    ],
  },
);
export const RegisteredApplicationEnvelope = t.envelope('registered_application', RegisteredApplication);
export const RegisteredApplicationList = t.object({ links: ListLinks, registered_applications: t.array(RegisteredApplication) });

/** An application changes its registration until somebody keeps it. */
export const KeepApplication = t.object(
  {},
  {
    registered_application: t.object(
      {},
      { name: t.string(), redirect_uris: t.array(t.string()) },
      { description: 'What was looked at. It is kept if it still says this.' },
    ),
  },
  { examples: [{ registered_application: { name: 'Assistant', redirect_uris: ['http://127.0.0.1/callback'] } }] },
);

export const renderToken = (row: RegistrationTokenRow) => ({
  id: row.id,
  name: row.name,
  domain_id: row.domain_id,
  uses_left: row.uses_left,
  created_at: time(row.created_at),
  expires_at: time(row.expires_at),
  last_used_at: row.last_used_at === null ? null : time(row.last_used_at),
});

export const renderRegistered = (row: ConsumerRow) => ({
  id: row.id,
  name: row.name,
  registered_by: row.registered_by!,
  registered_with: row.registration_token,
  domain_id: row.registration_domain_id,
  redirect_uris: JSON.parse(row.redirect_uris) as string[],
  created_at: time(row.created_at),
  expires_at: row.registration_expires_at === null ? null : time(row.registration_expires_at),
  kept: !isStrangers(row),
});

t.name({
  ClientMetadata,
  ClientChanges,
  AnyClientMetadata: AnyMetadata,
  ClientInformation,
  RegistrationToken,
  RegistrationTokenEnvelope,
  RegistrationTokenList,
  NewRegistrationToken: NewToken,
  CreateRegistrationToken: NewRegistrationToken,
  RegisteredApplication,
  RegisteredApplicationEnvelope,
  RegisteredApplicationList,
  KeepRegisteredApplication: KeepApplication,
});
