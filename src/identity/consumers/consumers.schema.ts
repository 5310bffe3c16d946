// Wire format of consumers: applications registered to consume OAuth2 resources.
import { t } from '../../platform/http/index.ts';
import type { ConsumerRow } from '../database.ts';
import { Links, ListLinks, parseJson } from '../resource/index.ts';

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
export const CreateConsumer = t.envelope('consumer', t.open({ name: Name }, optional, { examples: [exampleBody] }));
export const UpdateConsumer = t.envelope(
  'consumer',
  t.open({}, { name: Name, ...optional }, { examples: [{ description: 'Weekly reports', redirect_uris: [], scopes: [] }] }),
);

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
  links: Links,
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
  links: { self: 'http://localhost:5000/v3/OS-OAUTH2/consumers/a0c5' },
};
const Consumer = t.open(shared, {}, { examples: [example] });
const ConsumerWithSecret = t.open(
  { ...shared, secret: t.string() },
  /** While a previous secret works. */
  { previous_secret_expires_at: t.string() },
  { examples: [{ ...example, secret: 'Jx0v…', previous_secret_expires_at: '2026-12-08T22:02:00.000000Z' }] },
);
/** At most 30 days. */
export const RotateSecret = t.object(
  {},
  { grace_seconds: t.integer({ minimum: 0, maximum: 2_592_000 }) },
  { examples: [{ grace_seconds: 86_400 }] },
);
export const ConsumerWithSecretEnvelope = t.envelope('consumer', ConsumerWithSecret);
export const ChangedConsumer = t.object({ consumer: Consumer, links: Links });
export const ConsumerList = t.object({ links: ListLinks, consumers: t.array(Consumer) });

export function renderConsumer(base: string, row: ConsumerRow) {
  const extra = parseJson(row.extra);
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
    links: { self: `${base}/v3/OS-OAUTH2/consumers/${row.id}` },
  };
}
