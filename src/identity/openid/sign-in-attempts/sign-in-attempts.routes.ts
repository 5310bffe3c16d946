// /v3/OS-OAUTH2/consumers/{consumer_id}/sign-in-attempts: to try the sign-in of an application from the console.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { SignInAttempts } from './sign-in-attempts.rules.ts';

const Attempt = t.object({
  redirect_uri: t.string({
    description:
      'Where the provider returns to: a page of the console. It is accepted in one authorization request of this consumer, in a browser where the caller is signed in.',
  }),
  expires_at: t.string(),
});
const AttemptEnvelope = t.envelope('attempt', Attempt);

export function mountSignInAttempts(
  app: IdentityApp,
  { consumers, openid }: { consumers: Consumers; openid: { readonly signInAttempts: SignInAttempts } },
): void {
  app.post(
    '/v3/OS-OAUTH2/consumers/:consumer_id/sign-in-attempts',
    {
      id: 'beginSignInAttempt',
      summary: 'Begin to try the sign-in of a consumer',
      description:
        'Answers with a redirect address that works once, for five minutes, in a browser where the caller is signed in.',
      tag: 'Consumers',
      rule: 'try_consumer_sign_in',
      target: ({ caller, params }) => consumers.target(caller, params.consumer_id),
      reply: { 201: AttemptEnvelope },
    },
    async ({ caller, target }) => {
      const { redirectUri, expiresAt } = await openid.signInAttempts.begin(caller, target);
      return { attempt: { redirect_uri: redirectUri, expires_at: isoTime(expiresAt) } };
    },
  );
}

t.name({ SignInAttemptEnvelope: AttemptEnvelope, SignInAttempt: Attempt });
