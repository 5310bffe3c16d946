// /v3/OS-OAUTH2/consumers, and its alias /v3/OS-ROLES/consumers that Keyrock clients call

import { isoTime } from '../../../platform/clock.ts';
import type { Call } from '../../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  ETAG,
  filterDocumentation,
  listOf,
  NAME_AND_CREATION,
  searchDocumentation,
  withEtag,
} from '../../ground/resource/index.ts';
import type { Consumers } from './consumers.rules.ts';
import {
  ChangedConsumer,
  ConsumerList,
  ConsumerWithSecretEnvelope,
  CreateConsumer,
  LogoEnvelope,
  PutLogo,
  RotateSecret,
  renderConsumer,
  UpdateConsumer,
} from './consumers.schema.ts';
import type { Logo } from './logo.rules.ts';
import { logoPath } from './logo-image.ts';
import type { ConsumerWithSecret } from './secrets.rules.ts';

const tag = 'Consumers';

const FILTERS = filterDocumentation(['name', 'description', 'client_type', 'grant_type', 'registered_by']);
const FILTERED = searchDocumentation(FILTERS, 'name', NAME_AND_CREATION);
const untilOf = (time: number | null) => (time === null ? {} : { previous_secret_expires_at: isoTime(time * 1000) });

const targetIn =
  (consumers: Consumers) =>
  ({ caller, params }: { caller: Caller; params: { consumer_id: string } }) =>
    consumers.target(caller, params.consumer_id);

const renderLogo = (base: string, { id }: ConsumerRow, logo: Logo) => ({
  logo: {
    media_type: logo.media_type,
    content: logo.content,
    url: `${base}${logoPath(logo.id)}`,
    created_at: isoTime(logo.created_at * 1000),
    links: { self: `${base}/v3/OS-OAUTH2/consumers/${id}/logo` },
  },
});

async function renderPage(
  consumers: Consumers,
  call: Pick<Call<Caller>, 'base' | 'path' | 'query'>,
  page: Awaited<ReturnType<Consumers['list']>>,
) {
  const logos = await consumers.logoIds(page.items);
  return listOf(call, 'consumers', {
    ...page,
    items: page.items.map((row) => renderConsumer(call.base, row, logos.get(row.id))),
  });
}

function mountConsumersOfUser(app: IdentityApp, consumers: Consumers): void {
  app.get(
    '/v3/users/:user_id/OS-OAUTH2/consumers',
    {
      id: 'listConsumersOfUser',
      summary: 'List the consumers that a user manages',
      description: 'Secrets are not among the answers.',
      tag,
      rule: 'list_user_consumers',
      target: ({ params }) => ({ facts: { userId: params.user_id }, get: () => params.user_id }),
      documentation: FILTERED,
      reply: { 200: ConsumerList },
    },
    async (call) => renderPage(consumers, call, await consumers.listOfUser(call.target, call.query)),
  );
}

function mountLogo(app: IdentityApp, consumers: Consumers): void {
  const path = '/v3/OS-OAUTH2/consumers/:consumer_id/logo' as const;
  const target = targetIn(consumers);

  app.get(
    path,
    {
      id: 'getConsumerLogo',
      summary: 'Show the logo of a consumer',
      description: '`url` is where everybody can see the image.',
      tag,
      rule: 'get_consumer',
      target,
      reply: { 200: LogoEnvelope },
    },
    async (call) => renderLogo(call.base, call.target, await consumers.logo(call.target)),
  );
  app.put(
    path,
    {
      id: 'setConsumerLogo',
      summary: 'Give a consumer a logo',
      description:
        'A PNG, JPEG or WebP image of at most 64 KiB and 2048 pixels on a side, in base64. It is checked by its content.',
      tag,
      rule: 'update_consumer',
      target,
      body: PutLogo,
      reply: { 200: LogoEnvelope },
    },
    async (call) =>
      renderLogo(call.base, call.target, await consumers.replaceLogo(call.caller, call.target, call.body.logo.content)),
  );
  app.delete(
    path,
    {
      id: 'deleteConsumerLogo',
      summary: 'Remove the logo of a consumer',
      tag,
      rule: 'update_consumer',
      target,
      reply: { 204: null },
    },
    (call) => consumers.removeLogo(call.caller, call.target),
  );
}

export function mountConsumers(app: IdentityApp, { consumers }: { consumers: Consumers }): void {
  const logoOf = async (row: ConsumerRow): Promise<string | undefined> => (await consumers.logoIds([row])).get(row.id);
  const withSecret = async (base: string, row: ConsumerWithSecret) => ({
    consumer: {
      ...renderConsumer(base, row, await logoOf(row)),
      secret: row.plainSecret,
      ...untilOf(consumers.previousSecretUntil(row)),
    },
  });

  const target = targetIn(consumers);

  for (const [root, name] of [
    ['/v3/OS-OAUTH2', 'Consumer'],
    ['/v3/OS-ROLES', 'AppConsumer'],
  ] as const) {
    const many = `${root}/consumers` as const;
    const one = `${root}/consumers/:consumer_id` as const;

    app.get(
      many,
      {
        id: `list${name}s`,
        summary: 'List consumers',
        description: 'Secrets are not among the answers.',
        tag,
        rule: 'list_consumers',
        documentation: FILTERED,
        reply: { 200: ConsumerList },
      },
      async (call) => renderPage(consumers, call, await consumers.list(call.caller, call.query)),
    );
    app.post(
      many,
      {
        id: `create${name}`,
        summary: 'Register a consumer',
        description:
          'Answers with the secret of the application. Whoever registers it manages it. Attributes that the schema does not name are kept in `extra`; those of OpenID Connect, such as `post_logout_redirect_uris` and `token_endpoint_auth_method`, take effect.',
        tag,
        rule: 'create_consumer',
        body: CreateConsumer,
        reply: { 200: ConsumerWithSecretEnvelope },
      },
      async ({ caller, body, base }) => withSecret(base, await consumers.create(caller, body.consumer)),
    );
    app.get(
      one,
      {
        id: `get${name}`,
        summary: 'Show a consumer, with its secret',
        description: 'For whoever manages the application.',
        tag,
        rule: 'get_consumer',
        target,
        documentation: ETAG,
        reply: { 200: ConsumerWithSecretEnvelope },
      },
      async (call) => withEtag(call.target, await withSecret(call.base, consumers.withSecret(call.target))),
    );
    app.patch(
      one,
      {
        id: `update${name}`,
        summary: 'Change a consumer',
        description: 'Only the attributes in the body change.',
        tag,
        rule: 'update_consumer',
        target,
        body: UpdateConsumer,
        documentation: CHANGE_IF_MATCH,
        reply: { 200: ChangedConsumer },
      },
      async (call) => {
        const row = await consumers.update(callerIfMatch('consumer', call), call.target, call.body.consumer);
        const consumer = renderConsumer(call.base, row, await logoOf(row));
        return withEtag(row, { consumer, links: consumer.links });
      },
    );
    app.delete(
      one,
      {
        id: `delete${name}`,
        summary: 'Delete a consumer',
        description: 'Its roles, permissions, assignments, consents and tokens are deleted with it.',
        tag,
        rule: 'delete_consumer',
        target,
        documentation: DELETE_IF_MATCH,
        reply: { 204: null },
      },
      (call) => consumers.remove(callerIfMatch('consumer', call), call.target),
    );
  }

  app.post(
    '/v3/OS-OAUTH2/consumers/:consumer_id/secret',
    {
      id: 'rotateConsumerSecret',
      summary: 'Give a consumer a new secret',
      description:
        'The old secret works for `grace_seconds` more (0 by default, at most 30 days), so that the application can be changed without a gap.',
      tag,
      rule: 'rotate_consumer_secret',
      target,
      body: RotateSecret,
      reply: { 200: ConsumerWithSecretEnvelope },
    },
    async (call) => withSecret(call.base, await consumers.rotateSecret(call.caller, call.target, call.body.grace_seconds)),
  );
  app.delete(
    '/v3/OS-OAUTH2/consumers/:consumer_id/secret/previous',
    {
      id: 'endPreviousConsumerSecret',
      summary: 'End the previous secret of a consumer before its time',
      description: 'For a secret that is still in its grace time.',
      tag,
      rule: 'rotate_consumer_secret',
      target,
      reply: { 204: null },
    },
    (call) => consumers.endPreviousSecret(call.caller, call.target),
  );
  mountLogo(app, consumers);
  mountConsumersOfUser(app, consumers);
}
