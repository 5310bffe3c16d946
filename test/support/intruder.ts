// Somebody who knows the password of a person for a while, and leaves everything behind that goes on without it.
import assert from 'node:assert/strict';
import { assertOk } from './answers.ts';
import { type TestApi, uniqueName } from './api.ts';
import { type Ec2TestKey, exchange, signedV2 } from './ec2.ts';
import { newMailbox } from './mailbox.ts';
import { askAccessToken, askRequestToken, authorize, keyOf, makeConsumer, type OAuth1Key, signedLogin } from './oauth1.ts';
import { makeTrust, trustPerson, useTrust } from './trusts.ts';

const BASE32_KEY = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Who may pass on everything that there is, also by OAuth1. */
export async function intrudedPerson(api: TestApi, values: object = {}) {
  const project = await api.make('project', { name: uniqueName('project') });
  const email = newMailbox();
  const { user, password, token } = await api.persona(['admin', 'member'], { project: project.id }, { email, ...values });
  return { user, name: user.name as string, password, token, project, email };
}

type IntrudedPerson = Awaited<ReturnType<typeof intrudedPerson>>;

/** One of each, made with a token of the person. The names are those of the account page. */
export async function intrude(api: TestApi, person: IntrudedPerson) {
  const { user, token, project } = person;
  const programs = `/v3/users/${user.id}/application_credentials`;
  const program = assertOk(
    await api.post(programs, { application_credential: { name: uniqueName('planted'), unrestricted: true } }, { token }),
    201,
  ).application_credential as { id: string; secret: string; name: string };
  const key = assertOk(await api.post(`/v3/users/${user.id}/credentials/OS-EC2`, { tenant_id: project.id }, { token }), 201)
    .credential as Ec2TestKey;
  const codes = assertOk(
    await api.post('/v3/credentials', { credential: { type: 'totp', blob: BASE32_KEY, user_id: user.id } }, { token }),
    201,
  ).credential as { id: string };
  const accomplice = await trustPerson(api);
  const trust = await makeTrust(api, { ...person }, accomplice, { impersonation: true });
  const consumer = await makeConsumer(api);
  const consent = async (): Promise<{ request: OAuth1Key; verifier: string }> => {
    const request = keyOf(await askRequestToken(api, project.id, { consumer }));
    return { request, verifier: assertOk(await authorize(api, token, request)).token.oauth_verifier };
  };
  const taken = await consent();
  const oauth1 = keyOf(await askAccessToken(api, { consumer, token: taken.request, verifier: taken.verifier }));
  const later = await consent();

  const identity = { methods: ['application_credential'], application_credential: { id: program.id, secret: program.secret } };
  const ways: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
    'application credential': () => api.post('/v3/auth/tokens', { auth: { identity } }, { token: null }),
    'EC2 key': () => exchange(api, signedV2(key, api.clock.now())),
    trust: () => useTrust(api, accomplice, trust),
    'OAuth1 token': () => signedLogin(api, { consumer, token: oauth1 }),
    'authenticator key': () => api.get(`/v3/credentials/${codes.id}`),
  };
  return {
    program,
    key,
    trust,
    accomplice,
    /** The ways in that still work. */
    async working(): Promise<string[]> {
      const names: string[] = [];
      for (const [name, use] of Object.entries(ways)) if ((await use()).status < 300) names.push(name);
      return names;
    },
    all: Object.keys(ways),
    /** What the person's account authorized and nobody has taken yet. */
    takeLater: () => askAccessToken(api, { consumer, token: later.request, verifier: later.verifier }),
    /** A token of the program, from before. */
    async programToken(): Promise<string> {
      const login = await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null });
      assert.equal(login.status, 201, login.text);
      return login.headers.get('x-subject-token')!;
    },
  };
}
