// Wire format of consumers: applications registered to consume OAuth2 resources.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { MAX_SMALL_PICTURE } from '../../../platform/pictures/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import { withoutBadLinks } from './links.ts';
import { logoPath } from './logo-image.ts';
import { attributesOf, OPENID_DOCUMENTATION } from './openid-fields.ts';

const Name = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
const ClientType = t.oneOf('confidential', 'public');
export const GRANT_TYPES = ['authorization_code', 'password', 'client_credentials', 'refresh_token', 'implicit'] as const;

/** What an application is, for those who manage it: nothing else depends on it. */
const KINDS = ['web', 'spa', 'device', 'service', 'proxy'] as const;

/** Old clients send null for values that were not set. */
const optional = {
  description: t.nullable(t.string()),
  client_type: t.nullable(ClientType),
  grant_type: t.nullable(t.oneOf(...GRANT_TYPES)),
  redirect_uris: t.nullable(t.array(t.string())),
  scopes: t.nullable(t.array(t.string({ minLength: 1, maxLength: 255 }), { maxItems: 100 })),
  kind: t.nullable(t.oneOf(...KINDS)),
  extra: t.record(t.unknown()),
  ...OPENID_DOCUMENTATION,
};

/** Other attributes are stored in `extra` and also shown at top level. */
export const consumerFields = [
  'name',
  'description',
  'client_type',
  'grant_type',
  'response_type',
  'redirect_uris',
  'scopes',
  'extra',
  'secret',
  'previous_secret_expires_at',
  'registered_by',
  'registration_expires_at',
];

const exampleBody = {
  name: 'Reports',
  description: 'Monthly reports',
  client_type: 'confidential',
  grant_type: 'authorization_code',
  redirect_uris: ['https://reports.example.org/callback'],
  scopes: ['all_info'],
  kind: 'web',
  url: 'https://reports.example.org',
};
const NewConsumer = t.open({ name: Name }, optional, { examples: [exampleBody] });
export const CreateConsumer = t.envelope('consumer', NewConsumer);
const ConsumerChanges = t.open(
  {},
  { name: Name, ...optional },
  { examples: [{ description: 'Weekly reports', redirect_uris: [], scopes: [] }] },
);
export const UpdateConsumer = t.envelope('consumer', ConsumerChanges);

/** `logo`: the image, if the consumer has one. */
const ConsumerLinks = t.object({ self: t.string() }, { logo: t.string() });

const shared = {
  id: t.string(),
  name: t.string(),
  description: t.nullable(t.string()),
  client_type: t.string(),
  grant_type: t.string(),
  response_type: t.string(),
  redirect_uris: t.array(t.string()),
  scopes: t.array(t.string()),
  extra: t.record(t.unknown()),
  links: ConsumerLinks,
};
const example = {
  id: 'a0c5',
  name: 'Reports',
  description: 'Monthly reports',
  client_type: 'confidential',
  grant_type: 'authorization_code',
  response_type: 'code',
  redirect_uris: ['https://reports.example.org/callback'],
  scopes: ['all_info'],
  extra: { url: 'https://reports.example.org' },
  url: 'https://reports.example.org',
  links: {
    self: 'http://localhost:5000/v3/OS-OAUTH2/consumers/a0c5',
    logo: 'http://localhost:5000/openid/logos/3q2-7wTn…',
  },
};
/** Of one that registered itself, and until when if nobody has kept it (applications/client-registration). */
const registration = { registered_by: t.oneOf('token', 'open', 'document'), registration_expires_at: t.nullable(t.string()) };
const Consumer = t.open(shared, registration, { examples: [example] });
const ConsumerWithSecret = t.open(
  { ...shared, secret: t.string() },
  /** While a previous secret works. */
  { ...registration, previous_secret_expires_at: t.string() },
  { examples: [{ ...example, secret: 'Jx0v…', previous_secret_expires_at: '2026-12-08T22:02:00.000000Z' }] },
);
/** At most 30 days. */
export const RotateSecret = t.object(
  {},
  { grace_seconds: t.integer({ minimum: 0, maximum: 2_592_000 }) },
  { examples: [{ grace_seconds: 86_400 }] },
);
export const ConsumerWithSecretEnvelope = t.envelope('consumer', ConsumerWithSecret);
export const ChangedConsumer = t.object({ consumer: Consumer, links: ConsumerLinks });
export const ConsumerList = t.object({ links: ListLinks, consumers: t.array(Consumer) });

const exampleLogo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQ9bsBAAHPAURf8l/aAAAAAElFTkSuQmCC';
/** A PNG, JPEG or WebP image in base64. */
const NewLogo = t.object(
  {
    content: t.string({
      minLength: 1,
      description: `A PNG, JPEG or WebP image in base64, at most ${MAX_SMALL_PICTURE} characters (64 KiB).`,
    }),
  },
  {},
  { examples: [{ content: exampleLogo }] },
);
export const PutLogo = t.envelope('logo', NewLogo);
/** `url`: where everybody can see the image. */
export const LogoEnvelope = t.envelope(
  'logo',
  t.object(
    {
      media_type: t.string(),
      content: t.string({ description: 'The image in base64, without metadata.' }),
      url: t.string(),
      created_at: t.string(),
      links: Links,
    },
    {},
    {
      examples: [
        {
          media_type: 'image/png',
          content: exampleLogo,
          url: 'http://localhost:5000/openid/logos/3q2-7wTn…',
          created_at: '2026-11-16T23:02:00.000000Z',
          links: { self: 'http://localhost:5000/v3/OS-OAUTH2/consumers/a0c5/logo' },
        },
      ],
    },
  ),
);

const until = (seconds: number | null): string | null => (seconds === null ? null : isoTime(seconds * 1000));

/** `logo`: its id. */
export function renderConsumer(base: string, row: ConsumerRow, logo?: string) {
  // Nobody says of an application that it registered itself.
  const { registered_by: _, registration_expires_at: __, ...extra } = withoutBadLinks(attributesOf(row));
  return {
    ...extra,
    id: row.id,
    name: row.name,
    description: row.description,
    client_type: row.client_type,
    grant_type: row.grant_type,
    response_type: row.grant_type === 'implicit' ? 'token' : 'code',
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    scopes: JSON.parse(row.scopes) as string[],
    extra,
    ...(row.registered_by === null
      ? {}
      : { registered_by: row.registered_by, registration_expires_at: until(row.registration_expires_at) }),
    links: {
      self: `${base}/v3/OS-OAUTH2/consumers/${row.id}`,
      ...(logo === undefined ? {} : { logo: `${base}${logoPath(logo)}` }),
    },
  };
}

t.name({
  NewConsumer,
  CreateConsumer,
  ConsumerChanges,
  UpdateConsumer,
  ConsumerLinks,
  Consumer,
  ConsumerWithSecret,
  RotateConsumerSecret: RotateSecret,
  ConsumerWithSecretEnvelope,
  ConsumerEnvelope: ChangedConsumer,
  ConsumerList,
  NewLogo: NewLogo,
  PutLogo,
  LogoEnvelope,
});
