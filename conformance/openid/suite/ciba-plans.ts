// FAPI-CIBA: an application asks, and the person answers at the account page. The suite says when, by calling an address.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SIGN_IN_STRENGTHS } from '../../../src/identity/applications/consumers/index.ts';
import type { Actor } from './drive.ts';
import type { Person } from './person.ts';
import type { PlanRun } from './plan.ts';
import { ALIAS, type FapiWays, newName, type RegisteredPerson } from './registrations.ts';

/** The suite first comes back to wait, also for a ping. */
const SOON_MS = 1_000;

/** Where the suite says that the person has to answer now, and how. */
export class Answers {
  readonly #server: Server;
  readonly #person: Person;
  /** Whom the application asks. */
  asked: RegisteredPerson | undefined;
  /** The applications of this moment. */
  readonly asking: string[] = [];

  private constructor(person: Person) {
    this.#person = person;
    this.#server = createServer((request, response) => {
      const isAllowed = new URL(request.url!, 'http://driver').searchParams.get('action') === 'allow';
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      setTimeout(() => void this.#answer(isAllowed), SOON_MS);
    });
  }

  static async start(person: Person): Promise<Answers> {
    const answers = new Answers(person);
    answers.#server.listen(0, '127.0.0.1');
    await once(answers.#server, 'listening');
    return answers;
  }

  /** As the suite has it in a configuration. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/?action={action}`;
  }

  async #answer(isAllowed: boolean): Promise<void> {
    // What did not work is seen by the suite: it waits in vain.
    await this.#person
      .answerRequest(this.asked!, isAllowed)
      .catch((error: Error) => console.log(`  the person: ${error.message}`));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** How strong a sign-in with a password is here. */
const PASSWORD_ACR = SIGN_IN_STRENGTHS[0]!;
/** What the profile leaves. */
const GRANTS = ['urn:openid:params:grant-type:ciba', 'refresh_token', 'client_credentials'];

/** An application may ask a person ten times in an hour, so each module has applications and a person of its own. */
const ciba = (signs: FapiWays['signs'], mode: 'poll' | 'ping'): PlanRun => ({
  plan: 'fapi-ciba-id1-test-plan',
  variant: { client_auth_type: signs, fapi_ciba_profile: 'plain_fapi', ciba_mode: mode, client_registration: 'static_client' },
  service: 'certificates',
  actor: 'elsewhere',
  isMadeAnew: true,
  config: async ({ service, suite, registrations, answers }) => {
    const person = await registrations.person(newName('asked'));
    answers.asked = person;
    const ways: FapiWays = { signs, bound: 'mtls', profile: 'fapi-ciba' };
    const pinged = {
      backchannel_token_delivery_mode: 'ping',
      backchannel_client_notification_endpoint: `${suite}/test/a/${ALIAS}/ciba-notification-endpoint`,
    };
    // A ping that the suite refused is sent again later, and would reach the next module.
    await registrations.remove(answers.asking.splice(0));
    const client = () => registrations.fapiClient(ways, { allowed_grant_types: GRANTS, ...(mode === 'ping' ? pinged : {}) });
    const [first, second] = [await client(), await client()];
    answers.asking.push(first.client.client_id, second.client.client_id);
    const hint = { hint_type: 'login_hint', hint_value: person.name, acr_value: PASSWORD_ACR };
    return {
      alias: ALIAS,
      description: 'Gatehouse',
      browser: [],
      server: { discoveryUrl: `${service}/.well-known/openid-configuration` },
      client: { ...first.client, ...hint },
      mtls: first.mtls,
      client2: { ...second.client, ...hint },
      mtls2: second.mtls,
      resource: { resourceUrl: `${service}/openid/userinfo` },
      automated_ciba_approval_url: answers.url,
    };
  },
});

export const CIBA: readonly PlanRun[] = (['private_key_jwt', 'mtls'] as const).flatMap((signs) =>
  (['poll', 'ping'] as const).map((mode) => ciba(signs, mode)),
);

/** Nothing happens at a browser that the suite sends somewhere. */
export const elsewhere = (person: Person): Actor => ({
  renew: () => person.renew(),
  visit: (visit) => person.look(visit),
});
