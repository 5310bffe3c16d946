// /v3/OS-REGISTRATION

import { seconds } from '../../../platform/clock.ts';
import { domainOfNew, domainTarget, type IdentityApp } from '../../access/rules/index.ts';
import { renderUser, UserEnvelope, type Users, type UserWithExpiry } from '../../directory/users/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Registration } from './registration.rules.ts';
import { ActivationKey, RegisteredUser, RegisterUser, ResetPassword, ResetToken } from './registration.schema.ts';

const tag = 'Registration';

export function mountRegistration(
  app: IdentityApp,
  {
    registration,
    users,
    clock,
    config,
  }: Pick<Deps, 'clock' | 'config'> & { readonly registration: Registration; readonly users: Users },
): void {
  const render = (base: string, user: UserWithExpiry) =>
    renderUser(user, { base, now: seconds(clock), daysInactive: config.disableUserAccountDaysInactive });
  const target = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.post(
    '/v3/OS-REGISTRATION/users',
    {
      id: 'registerUser',
      summary: 'Register a user',
      description:
        'The user is disabled until the activation, and gets two organizations and an activation key, which is shown only here. The calling program sends it to the person.',
      tag,
      rule: 'identity:register_user',
      target: ({ caller, body }) => domainTarget(domainOfNew(caller, body.user.domain_id)),
      body: RegisterUser,
      reply: { 201: RegisteredUser },
    },
    async ({ caller, target: domainId, body, base }) => {
      const { user, activationKey } = await registration.register(caller, domainId, body.user);
      return { user: { ...render(base, user), activation_key: activationKey } };
    },
  );

  app.get(
    '/v3/OS-REGISTRATION/users/:user_id/activate',
    {
      id: 'getActivationKey',
      summary: 'Get a new activation key',
      description: 'The one before ends.',
      tag,
      rule: 'identity:new_activation_key',
      withoutHead: true,
      target,
      reply: { 200: ActivationKey },
    },
    async ({ caller, target: user }) => ({ activation_key: { id: await registration.newActivationKey(caller, user) } }),
  );

  app.patch(
    '/v3/OS-REGISTRATION/activate/:activation_key/users/:user_id',
    {
      id: 'activateRegisteredUser',
      summary: 'Activate a registered user',
      description: 'The key is used up. The user and their organizations are enabled.',
      tag,
      rule: 'identity:activate_user',
      target,
      reply: { 200: UserEnvelope },
    },
    async ({ caller, target: user, params, base, address, signal }) => ({
      user: render(base, await registration.activate(caller, { address, signal }, user, params.activation_key)),
    }),
  );

  app.get(
    '/v3/OS-REGISTRATION/users/:user_id/reset_password',
    {
      id: 'getResetToken',
      summary: 'Get a token that resets the password',
      description: 'The one before ends. Whoever has it can set a new password once.',
      tag,
      rule: 'identity:get_reset_token',
      withoutHead: true,
      target,
      reply: { 200: ResetToken },
    },
    async ({ caller, target: user, base }) => ({
      reset_token: { id: await registration.newResetToken(caller, user), user: render(base, user) },
    }),
  );

  app.patch(
    '/v3/OS-REGISTRATION/reset_password/:token_id/users/:user_id',
    {
      id: 'resetPassword',
      summary: 'Set a new password with a reset token',
      description: 'The token is used up, and all sessions of the user end.',
      tag,
      rule: 'identity:reset_password',
      target,
      body: ResetPassword,
      reply: { 200: UserEnvelope },
    },
    async ({ caller, target: user, params, body, base, address, signal }) => {
      const { password } = body.user;
      const changed = await registration.resetPassword(caller, { address, signal }, user, { token: params.token_id, password });
      return { user: render(base, changed) };
    },
  );
}
