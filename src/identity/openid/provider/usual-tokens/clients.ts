// The application of a usual request: as the library makes it of its row, which is read with each request. Made again when the row changes.
import type { Provider } from 'oidc-provider';
import { type Consumers, type ConsumerWithSecret, isStrangers, SECURITY_PROFILE } from '../../../applications/consumers/index.ts';
import type { ConsumerRow } from '../../../ground/database/index.ts';
import { isUnregistered, WALLET_CONSUMER } from '../../first-party-clients/index.ts';
import { type ClientDeps, clientOf } from '../clients.ts';

export type Client = InstanceType<Provider['Client']>;
type ClientWithSecret = Client & { compareClientSecret(secret: string): boolean };

export interface UsualClientDeps extends ClientDeps {
  readonly consumers: Pick<Consumers, 'row' | 'withSecret' | 'previousSecretUntil'>;
  /** Whether something else than an application has the id. */
  isOther(id: string): boolean;
}

/** In memory, each with its secret, as the library has them. */
const LIMIT = 1000;
const BY_SECRET: readonly unknown[] = ['client_secret_basic', 'client_secret_post'];
/** What the library does with the tokens of a client beyond what is done here. */
const UNUSUAL = [
  'id_token_claims',
  'idTokenEncryptedResponseAlg',
  'idTokenEncryptedResponseEnc',
  'tlsClientCertificateBoundAccessTokens',
  'dpopBoundAccessTokens',
  'clientSecretExpiresAt',
  'sectorIdentifierUri',
  SECURITY_PROFILE,
];
const ALGORITHMS: readonly unknown[] = ['RS256', 'ES256', 'EdDSA'];

const isUsual = (client: Client): boolean =>
  BY_SECRET.includes(client.clientAuthMethod) &&
  ALGORITHMS.includes(client.idTokenSignedResponseAlg) &&
  client.subjectType === 'public' &&
  UNUSUAL.every((name) => !client[name]);

interface Made {
  readonly row: ConsumerRow;
  /** The secret before the current one was good then. */
  readonly hasPrevious: boolean;
  /** Undefined: an unusual one, or one that the library refuses. */
  readonly client: ClientWithSecret | undefined;
}

const isSame = (row: ConsumerRow, other: ConsumerRow): boolean =>
  (Object.keys(row) as (keyof ConsumerRow)[]).every((name) => row[name] === other[name]);

export function createUsualClients(provider: Provider, deps: UsualClientDeps) {
  const made = new Map<string, Made>();

  async function makeClient(consumer: ConsumerWithSecret): Promise<ClientWithSecret | undefined> {
    if (isStrangers(consumer) || consumer.id === WALLET_CONSUMER) return undefined;
    const Client = provider.Client as unknown as new (metadata: object) => ClientWithSecret;
    try {
      const client = new Client(await clientOf(consumer, deps, () => undefined));
      return isUsual(client) ? client : undefined;
    } catch {
      return undefined;
    }
  }

  async function make(row: ConsumerRow): Promise<Made> {
    const consumer = deps.consumers.withSecret(row);
    const one = { row, hasPrevious: consumer.plainPreviousSecret !== undefined, client: await makeClient(consumer) };
    if (made.size >= LIMIT) made.delete(made.keys().next().value!);
    made.set(row.id, one);
    return one;
  }

  /** Undefined if the secret is wrong, too. */
  return async (id: string, secret: string): Promise<Client | undefined> => {
    const row = isUnregistered(id) || deps.isOther(id) ? undefined : await deps.consumers.row(id);
    if (!row) return undefined;
    const known = made.get(id);
    const isCurrent = known && isSame(row, known.row) && known.hasPrevious === (deps.consumers.previousSecretUntil(row) !== null);
    const { client } = isCurrent ? known : await make(row);
    return client?.compareClientSecret(secret) ? client : undefined;
  };
}
