// Authorization codes for clients of Keyrock's back-end: their own front-end asks the person for consent, and sends the answer with
// the person's token.
import type { Provider } from 'oidc-provider';
import { type Caller, loginTimeOf } from '../../access/index.ts';
import { findConsumer } from '../../consumers/index.ts';
import type { ConsumerRow, Database } from '../../database.ts';
import { fail } from '../../faults.ts';
import { SCOPES } from '../provider/accounts.ts';
import type { Records } from '../provider/records/records.ts';

/** The pending consent, between the two calls. Stored rows have this name, so it cannot be changed. */
const MODEL = 'OldAuthorization';
const QUESTION_SECONDS = 600;

export interface CodeRequest {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
}

export function createKeyrockCodes({ db, records, provider }: { db: Database; records: Records; provider(): Promise<Provider> }) {
  const idOf = (caller: Caller, clientId: string): string => `${clientId} ${caller.userId}`;

  async function findConfidentialConsumer(clientId: string): Promise<ConsumerRow> {
    const consumer = await findConsumer(db.read, clientId);
    if (!consumer) fail('request.bad_value', { field: 'client_id', why: 'there is no such application' });
    // Public clients need PKCE, which these calls do not support.
    if (consumer.client_type === 'public')
      fail('request.bad_value', { field: 'client_id', why: 'a public application uses /openid/authorize' });
    return consumer;
  }

  /** Binds what is stored to the user's state at the time the caller's token was checked. */
  const bindToCaller = <T>({ userId, authContext }: Caller, work: () => Promise<T>): Promise<T> =>
    records.duringRequest(() => {
      records.bind(userId, authContext.userGeneration);
      return work();
    });

  /** The application must exist, and the redirect URI must be registered. */
  async function startAuthorization(caller: Caller, { clientId, redirectUri, scopes, state }: CodeRequest) {
    const consumer = await findConfidentialConsumer(clientId);
    const uri = registeredRedirectUri(consumer, redirectUri);
    const payload = { accountId: caller.userId, clientId, redirectUri: uri, ...(state === undefined ? {} : { state }) };
    await records.save(MODEL, idOf(caller, clientId), payload, QUESTION_SECONDS);
    return { consumer, redirectUri: uri, scopes: scopes.length > 0 ? scopes : (JSON.parse(consumer.scopes) as string[]) };
  }

  /** A consent can be answered once. Returns the URL to redirect the person to. */
  async function approve(caller: Caller, clientId: string, scopes: readonly string[]): Promise<string> {
    const question = await records.find(MODEL, idOf(caller, clientId));
    if (!question || !(await records.consume(MODEL, idOf(caller, clientId))))
      fail('request.bad_value', { field: 'client_id', why: 'nothing was asked for it, or it was answered' });
    await records.destroy(MODEL, idOf(caller, clientId));
    // The application may have changed since: its type or its redirect URIs.
    const redirectUri = registeredRedirectUri(await findConfidentialConsumer(clientId), String(question.redirectUri));
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
      // A token made from another token keeps the time of the login.
      authTime: Math.floor(loginTimeOf(caller.token) / 1000),
    } as never);
    const location = new URL(redirectUri);
    location.searchParams.set('code', await code.save());
    if (question.state !== undefined) location.searchParams.set('state', String(question.state));
    return location.href;
  }

  return {
    startAuthorization: (caller: Caller, request: CodeRequest) => bindToCaller(caller, () => startAuthorization(caller, request)),
    approve: (caller: Caller, clientId: string, scopes: readonly string[]) =>
      bindToCaller(caller, () => approve(caller, clientId, scopes)),
  };
}

export type KeyrockCodes = ReturnType<typeof createKeyrockCodes>;

function registeredRedirectUri(consumer: ConsumerRow, requested: string | undefined): string {
  const uris = JSON.parse(consumer.redirect_uris) as string[];
  const uri = requested ?? (uris.length === 1 ? uris[0] : undefined);
  if (uri === undefined || !uris.includes(uri))
    fail('request.bad_value', { field: 'redirect_uri', why: 'it is not one of the application' });
  return uri;
}
