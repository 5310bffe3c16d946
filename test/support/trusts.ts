// People who pass roles on to others, and log in with what they got.
import assert from 'node:assert/strict';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';

const PASSWORD = 'a password of a test';

export type TrustPerson = Awaited<ReturnType<typeof trustPerson>>;

/** A person with roles in a project of their own, or without any. */
export async function trustPerson(api: TestApi, roles: readonly string[] = []) {
  if (roles.length === 0) {
    const user = await api.make('user', { name: uniqueName('trustee'), password: PASSWORD });
    return { user, password: PASSWORD, token: await api.logIn({ id: user.id, password: PASSWORD }), project: { id: '' } };
  }
  const project = await api.make('project', { name: uniqueName('project') });
  return { ...(await api.persona(roles, { project: project.id })), project };
}

type Values = Readonly<Record<string, unknown>>;

export const askForTrust = (
  api: TestApi,
  trustor: Pick<TrustPerson, 'user' | 'token' | 'project'>,
  trustee: Pick<TrustPerson, 'user'>,
  values: Values = {},
): Promise<ApiAnswer> =>
  api.post(
    '/v3/OS-TRUST/trusts',
    {
      trust: {
        trustor_user_id: trustor.user.id,
        trustee_user_id: trustee.user.id,
        impersonation: false,
        project_id: trustor.project.id,
        roles: [{ name: 'member' }],
        ...values,
      },
    },
    { token: trustor.token },
  );

export async function makeTrust(...all: Parameters<typeof askForTrust>) {
  const answer = await askForTrust(...all);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.trust;
}

export const useTrust = (api: TestApi, { user, password }: Pick<TrustPerson, 'user' | 'password'>, trust: { id: string }) =>
  api.authenticate({ id: user.id, password }, { 'OS-TRUST:trust': { id: trust.id } });

export async function trustToken(...all: Parameters<typeof useTrust>): Promise<string> {
  const answer = await useTrust(...all);
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.get('x-subject-token')!;
}
