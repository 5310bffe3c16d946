// Wire format of OAuth1: consumers, tokens, and what a user authorizes.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { OAuth1AccessTokenRow, OAuth1ConsumerRow } from '../../ground/database/index.ts';
import { Links, ListLinks, parseJson } from '../../ground/resource/index.ts';

const Id = t.string({ minLength: 1, maxLength: 64 });
const Description = t.nullable(t.string({ maxLength: 4096 }));

export const consumerFields = ['description', 'secret'];
const NewOAuth1Consumer = t.open({}, { description: Description });
export const CreateOAuth1Consumer = t.envelope('consumer', NewOAuth1Consumer);
const OAuth1ConsumerChanges = t.changes(t.open({}, { description: Description }));
export const UpdateOAuth1Consumer = t.envelope('consumer', OAuth1ConsumerChanges);

const fields = { id: t.string(), description: t.nullable(t.string()), links: Links };
const OAuth1Consumer = t.open(fields);
const OAuth1ConsumerWithSecret = t.open({
  ...fields,
  secret: t.string({ description: 'In this answer only.' }),
});
export const OAuth1ConsumerEnvelope = t.envelope('consumer', OAuth1Consumer);
export const CreatedOAuth1Consumer = t.envelope('consumer', OAuth1ConsumerWithSecret);
export const OAuth1ConsumerList = t.object({ links: ListLinks, consumers: t.array(OAuth1Consumer) });

export const AuthorizeRequestToken = t.open({
  roles: t.array(t.object({}, { id: Id, name: t.string({ minLength: 1, maxLength: 255 }) }), {
    minItems: 1,
    maxItems: 100,
    description: 'Roles of the user in the project that the consumer asked for, each by its id or its name.',
  }),
});
export const OAuth1Verifier = t.envelope(
  'token',
  t.object({ oauth_verifier: t.string({ description: 'The user tells it to the consumer.' }) }),
);
export const OAuth1TokenText = t.string({
  description: '`oauth_token`, `oauth_token_secret` and `oauth_expires_at`, as in a form.',
});

const OAuth1AccessToken = t.object({
  id: t.string(),
  consumer_id: t.string(),
  authorizing_user_id: t.string(),
  project_id: t.string(),
  expires_at: t.nullable(t.string()),
  links: t.object({ self: t.string(), roles: t.string() }),
});
export const OAuth1AccessTokenEnvelope = t.envelope('access_token', OAuth1AccessToken);
export const OAuth1AccessTokenList = t.object({ links: ListLinks, access_tokens: t.array(OAuth1AccessToken) });

export const renderConsumer = (base: string, row: OAuth1ConsumerRow) => ({
  ...parseJson(row.extra),
  id: row.id,
  description: row.description,
  links: { self: `${base}/v3/OS-OAUTH1/consumers/${row.id}` },
});

const timeOf = (seconds: number | null): string | null => (seconds === null ? null : isoTime(seconds * 1000));

export function renderAccessToken(base: string, row: OAuth1AccessTokenRow) {
  const self = `${base}/v3/users/${encodeURIComponent(row.user_id)}/OS-OAUTH1/access_tokens/${row.id}`;
  return {
    id: row.id,
    consumer_id: row.consumer_id,
    authorizing_user_id: row.user_id,
    project_id: row.project_id,
    expires_at: timeOf(row.expires_at),
    links: { self, roles: `${self}/roles` },
  };
}

/**
 * Section 2.1 and 2.3 of RFC 5849, with the end of Keystone. Nothing in it has to be encoded; the colons of the time are not, because Keystone's
 * clients split the text and do not decode it.
 */
export const tokenText = ({ id, secret, expiresAt }: { id: string; secret: string; expiresAt: number | null }): string =>
  `oauth_token=${id}&oauth_token_secret=${secret}${expiresAt === null ? '' : `&oauth_expires_at=${timeOf(expiresAt)}`}`;

t.name({
  NewOAuth1Consumer,
  CreateOAuth1Consumer,
  OAuth1ConsumerChanges,
  UpdateOAuth1Consumer,
  OAuth1Consumer,
  OAuth1ConsumerWithSecret,
  OAuth1ConsumerEnvelope,
  CreatedOAuth1Consumer,
  OAuth1ConsumerList,
  AuthorizeRequestToken,
  OAuth1Verifier,
  OAuth1AccessToken,
  OAuth1AccessTokenEnvelope,
  OAuth1AccessTokenList,
});
