// /v3/users/{user_id}/OS-ACCESS/sign-in
import type { IdentityApp } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { SignInPreview } from './sign-in-preview.rules.ts';
import { renderPreview, SignInPreviewEnvelope } from './sign-in-preview.schema.ts';

interface SignInPreviewDeps {
  readonly signInPreview: SignInPreview;
  readonly users: Pick<Users, 'target'>;
}

export function mountSignInPreview(app: IdentityApp, { signInPreview, users }: SignInPreviewDeps): void {
  app.get(
    '/v3/users/:user_id/OS-ACCESS/sign-in',
    {
      id: 'previewSignIn',
      summary: 'Show what happens when a user signs in',
      description:
        'Which ways are open now, what refuses the person, what they are asked next, how long sessions and tokens last, and where each of these settings comes from. The same functions answer that decide a login. What proves who somebody is (second factor, passkeys, credentials in a wallet) is shown to administrators only.',
      tag: 'Access',
      rule: 'identity:preview_sign_in',
      target: ({ params }) => users.target(params.user_id),
      reply: { 200: SignInPreviewEnvelope },
    },
    async ({ caller, target: user, base, path }) => ({
      sign_in: renderPreview(base + path, user, await signInPreview(caller, user)),
    }),
  );
}
