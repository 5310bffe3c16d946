// Somebody who knows the password of a person for a while, and leaves everything behind that goes on without it.
import { assertOk } from './answers.ts';
import { type TestApi, uniqueName } from './api.ts';
import { type Ec2TestKey, exchange, signedV2 } from './ec2.ts';
import { newMailbox } from './mailbox.ts';
import { askAccessToken, askRequestToken, authorize, keyOf, makeConsumer, type OAuth1Key, signedLogin } from './oauth1.ts';
import { makeProgram, tokenOfProgram, useProgram } from './programs.ts';
import { TOTP_KEY } from './second-factor.ts';
import { makeTrust, trustPerson, useTrust } from './trusts.ts';

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
  const program = await makeProgram(api, person, { name: uniqueName('planted'), unrestricted: true });
  const key = assertOk(await api.post(`/v3/users/${user.id}/credentials/OS-EC2`, { tenant_id: project.id }, { token }), 201)
    .credential as Ec2TestKey;
  const codes = assertOk(
    await api.post('/v3/credentials', { credential: { type: 'totp', blob: TOTP_KEY, user_id: user.id } }, { token }),
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

  const ways: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
    'application credential': () => useProgram(api, program),
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
    programToken: (): Promise<string> => tokenOfProgram(api, program),
  };
}
