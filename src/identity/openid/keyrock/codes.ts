// Codes as clients of Keyrock's back-end get them: a front-end of theirs shows the question and sends the answer, with the person's token.
import type { Provider } from 'oidc-provider';
import { type Caller, loginTimeOf } from '../../access/index.ts';
import { findConsumer } from '../../consumers/index.ts';
import type { ConsumerRow, Database } from '../../database.ts';
import { fail } from '../../faults.ts';
import { SCOPES } from '../provider/accounts.ts';
import type { Records } from '../provider/records/records.ts';

/** The question, between the two calls. Rows have this name: with another, questions asked before an update would be lost. */
const MODEL = 'OldAuthorization';
const QUESTION_SECONDS = 600;

export interface Asked {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
}

export function createKeyrockCodes({ db, records, provider }: { db: Database; records: Records; provider(): Promise<Provider> }) {
  const idOf = (caller: Caller, clientId: string): string => `${clientId} ${caller.userId}`;

  async function confidential(clientId: string): Promise<ConsumerRow> {
    const consumer = await findConsumer(db.read, clientId);
    if (!consumer) fail('request.bad_value', { field: 'client_id', why: 'there is no such application' });
    // Public clients prove themselves by PKCE, which these calls do not have.
    if (consumer.client_type === 'public')
      fail('request.bad_value', { field: 'client_id', why: 'a public application uses /openid/authorize' });
    return consumer;
  }

  /** What is kept is bound to the state in which the caller's token was checked. */
  const asOf = <T>({ userId, authContext }: Caller, work: () => Promise<T>): Promise<T> =>
    records.during(() => {
      records.bind(userId, authContext.userGeneration);
      return work();
    });

  /** The application must be known and the address registered: nobody is sent anywhere else. */
  async function ask(caller: Caller, { clientId, redirectUri, scopes, state }: Asked) {
    const consumer = await confidential(clientId);
    const uri = registered(consumer, redirectUri);
    const payload = { accountId: caller.userId, clientId, redirectUri: uri, ...(state === undefined ? {} : { state }) };
    await records.save(MODEL, idOf(caller, clientId), payload, QUESTION_SECONDS);
    return { consumer, redirectUri: uri, scopes: scopes.length > 0 ? scopes : (JSON.parse(consumer.scopes) as string[]) };
  }

  /** Once: the question is gone with its answer. Returns where to send the person. */
  async function allow(caller: Caller, clientId: string, scopes: readonly string[]): Promise<string> {
    const asked = await records.find(MODEL, idOf(caller, clientId));
    if (!asked || !(await records.consume(MODEL, idOf(caller, clientId))))
      fail('request.bad_value', { field: 'client_id', why: 'nothing was asked for it, or it was answered' });
    await records.destroy(MODEL, idOf(caller, clientId));
    // It may be another one since the question: public, or elsewhere.
    const redirectUri = registered(await confidential(clientId), String(asked.redirectUri));
    const { AuthorizationCode, Grant, Client } = await provider();
    const client = await Client.find(clientId);
    if (!client) fail('request.bad_value', { field: 'client_id', why: 'there is no such application' });
    const scope = SCOPES.filter((one) => scopes.includes(one)).join(' ');
    const grant = new Grant({ accountId: caller.userId, clientId });
    if (scope !== '') grant.addOIDCScope(scope);
    const code = new AuthorizationCode({
      accountId: caller.userId,
      client,
      grantId: await grant.save(),
      gty: 'authorization_code',
      redirectUri,
      scope,
      // A token made from a token is no new login.
      authTime: Math.floor(loginTimeOf(caller.token) / 1000),
    } as never);
    const location = new URL(redirectUri);
    location.searchParams.set('code', await code.save());
    if (asked.state !== undefined) location.searchParams.set('state', String(asked.state));
    return location.href;
  }

  return {
    ask: (caller: Caller, asked: Asked) => asOf(caller, () => ask(caller, asked)),
    allow: (caller: Caller, clientId: string, scopes: readonly string[]) => asOf(caller, () => allow(caller, clientId, scopes)),
  };
}

export type KeyrockCodes = ReturnType<typeof createKeyrockCodes>;

function registered(consumer: ConsumerRow, asked: string | undefined): string {
  const uris = JSON.parse(consumer.redirect_uris) as string[];
  const uri = asked ?? (uris.length === 1 ? uris[0] : undefined);
  if (uri === undefined || !uris.includes(uri))
    fail('request.bad_value', { field: 'redirect_uri', why: 'it is not one of the application' });
  return uri;
}
