// /v3/OS-TWO-FACTOR/two_factor_auth and /v3/users/{user_id}/OS-TWO-FACTOR: the factor, the question, recovery codes

import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { single } from '../../ground/resource/index.ts';
import type { Factor } from './factor.rules.ts';
import type { SecurityQuestion } from './security-question.rules.ts';
import { type Subject, withParsed } from './subject.ts';
import { USER_DOCUMENTATION } from './two-factor.documentation.ts';
import { DataReply, EnabledReply, EnableTwoFactor, RecoveryReply, StateReply } from './two-factor.schema.ts';

const tag = 'Two-factor authentication';

const ANSWER = {
  query: { security_answer: 'The answer.', sec_answer: 'Old name of security_answer.' },
  required: ['security_answer'],
};

interface TwoFactorDeps {
  readonly factor: Factor;
  readonly subject: Subject;
}

interface QuestionBody {
  readonly security_question?: string | null | undefined;
  readonly security_answer?: string | null | undefined;
}

/** Question and answer must be given together. Answers are trimmed, so blanks are not an answer. */
function questionOf(body: QuestionBody | null | undefined): SecurityQuestion | undefined {
  const { security_question: question, security_answer: answer } = body ?? {};
  if (question && answer?.trim()) return { question, answer };
  if (!question && !answer) return undefined;
  return fail('request.invalid_field', {
    field: `two_factor_auth.security_${question ? 'answer' : 'question'}`,
    why: 'it is a required property',
  });
}

export function mountTwoFactor(app: IdentityApp, { factor, subject }: TwoFactorDeps): void {
  const own = '/v3/users/:user_id/OS-TWO-FACTOR';
  const target = ({ params }: { params: { user_id: string } }) => subject.target(params.user_id);
  const linksOf = (base: string, path: string) => ({ self: base + path });

  app.head(
    '/v3/OS-TWO-FACTOR/two_factor_auth',
    {
      id: 'checkTwoFactor',
      summary: 'Check whether a user has two-factor authentication',
      tag,
      rule: 'is_two_factor_auth_enabled',
      target: ({ query }) => subject.queryTarget(query),
      documentation: { query: USER_DOCUMENTATION },
      reply: { 204: null },
    },
    (call) => factor.require(call.target.id),
  );

  app.get(
    `${own}/two_factor_auth`,
    {
      id: 'getTwoFactor',
      summary: 'Show whether a user has two-factor authentication, and how many recovery codes are left',
      tag,
      rule: 'is_two_factor_auth_enabled',
      target,
      reply: { 200: StateReply },
    },
    async ({ target: user, base, path }) => {
      const { isEnabled, recoveryCodesLeft } = await factor.state(user.id);
      return {
        two_factor_auth: {
          enabled: isEnabled,
          recovery_codes_left: recoveryCodesLeft,
          user_id: user.id,
          links: linksOf(base, path),
        },
      };
    },
  );

  app.post(
    `${own}/two_factor_auth`,
    {
      id: 'enableTwoFactor',
      summary: 'Enable two-factor authentication, or replace the key',
      description:
        'Answers with the key for one-time codes, also as an address for QR codes. It is shown only here. It needs a recent login; to replace the key, one with the second factor (a code, a recovery code or a remembered device), unless an administrator does it for somebody else. The first time it also needs a security question, which stays when the key is replaced. Sessions and tokens of the user end, except for the token of this request, and so do remembered devices and recovery codes.',
      tag,
      rule: 'enable_two_factor_auth',
      target: async ({ params, body }) => withParsed(questionOf(body.two_factor_auth), await subject.target(params.user_id)),
      body: EnableTwoFactor,
      reply: { 201: EnabledReply },
    },
    async ({ caller, target: { user, read: question }, base, path }) => {
      const enabled = await factor.enable(await subject.toChange(caller, user), user, question);
      return {
        two_factor_auth: {
          two_factor_key: enabled.key,
          uri: enabled.uri,
          user_id: user.id,
          security_question: enabled.question,
          ...(enabled.answer === undefined ? {} : { security_answer: enabled.answer }),
          links: linksOf(base, path),
        },
      };
    },
  );

  app.delete(
    `${own}/two_factor_auth`,
    {
      id: 'disableTwoFactor',
      summary: 'Disable two-factor authentication',
      description:
        'Remembered devices and recovery codes end. It needs a recent login with the second factor, unless an administrator does it for somebody else. Where everybody must have a second factor, people cannot turn off their own.',
      tag,
      rule: 'disable_two_factor_auth',
      target,
      reply: { 204: null },
    },
    async ({ caller, target: user }) => factor.disable(await subject.toChange(caller, user), user.id),
  );

  app.get(
    `${own}/two_factor_data`,
    {
      id: 'getTwoFactorData',
      summary: 'Show the security question',
      tag,
      rule: 'get_two_factor_data',
      target,
      reply: { 200: DataReply },
    },
    async ({ target: user, base, path }) => {
      const { question } = await factor.data(user.id);
      return {
        two_factor_auth: {
          security_question: question,
          user_id: user.id,
          links: linksOf(base, path),
        },
      };
    },
  );

  app.head(
    `${own}/sec_question`,
    {
      id: 'checkSecurityQuestion',
      summary: 'Check the answer to the security question',
      tag,
      rule: 'check_security_question',
      target: async ({ params, query }) => {
        const answer = single(query, 'security_answer') ?? single(query, 'sec_answer');
        if (!answer) fail('request.bad_value', { field: 'security_answer', why: 'it is required' });
        return withParsed(answer, await subject.target(params.user_id));
      },
      documentation: ANSWER,
      reply: { 204: null },
    },
    async ({ caller, target: { user, read: answer }, address, signal }) => {
      const { userId, requestId } = caller;
      await factor.checkAnswer({ userId, requestId, address, signal }, user.id, answer);
    },
  );

  app.post(
    `${own}/recovery_codes`,
    {
      id: 'createRecoveryCodes',
      summary: 'Create new recovery codes',
      description:
        'They are shown only once, and the former ones end. It needs a recent login with the second factor, unless an administrator does it for somebody else.',
      tag,
      rule: 'make_recovery_codes',
      target,
      reply: { 201: RecoveryReply },
    },
    async ({ caller, target: user, base, path }) => {
      const codes = await factor.makeRecoveryCodes(await subject.toChange(caller, user), user.id);
      return { two_factor_auth: { recovery_codes: codes, user_id: user.id, links: linksOf(base, path) } };
    },
  );
}
