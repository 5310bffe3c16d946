// Applications whose client id is the address of a document (draft-ietf-oauth-client-id-metadata-document). The document says what others send
// in a registration. It is fetched when somebody begins to sign in, and becomes a consumer when a person allows the application something: until
// then a stranger has stored nothing.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { findUser } from '../../directory/users/index.ts';
import { type Actor, serviceActor } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import {
  type ConsumerWithSecret,
  findConsumer,
  isStrangers,
  type NewConsumer,
  type RegistrationColumns,
} from '../consumers/index.ts';
import type { ClientRegistrationDeps } from './deps.ts';
import type { FetchedDocuments } from './fetched-documents.ts';
import { anywhere } from './live.ts';
import { ALLOWS } from './policy.ts';
import { refuseIfFull } from './register.rules.ts';

const DAY = 86_400;

export interface DocumentDeps extends ClientRegistrationDeps {
  readonly fetched: FetchedDocuments;
  isDocumentId(clientId: string): boolean;
}

const columnsOf = (clock: Clock): RegistrationColumns => ({
  registered_by: 'document',
  registration_domain_id: null,
  registration_token: null,
  registration_access_hash: null,
  registration_expires_at: seconds(clock) + DAY,
});

export function createDocuments(deps: DocumentDeps) {
  const { db, clock, change, consumers, fetched } = deps;

  /** The document says something else since: what the application had of people ends as after any change. */
  async function follow(row: ConsumerRow, body: NewConsumer): Promise<ConsumerRow | undefined> {
    if (consumers.saysTheSame(row, body)) return row;
    return change(serviceActor, async (transaction) => {
      const current = await consumers.lock(transaction, row.id);
      // Somebody kept or deleted it meanwhile.
      if (!current || !isStrangers(current)) return current;
      transaction.audit('consumer.changed_itself', { kind: 'consumer', id: row.id });
      return consumers.rewriteRegistered(transaction, current, body, {});
    });
  }

  return {
    isDocumentId: deps.isDocumentId,
    isOn: (): Promise<boolean> => anywhere(deps, ALLOWS.document),

    /** `isStored` is false until a person has allowed it something. */
    async find(clientId: string, address: string): Promise<{ row: ConsumerWithSecret; isStored: boolean } | undefined> {
      const stored = await findConsumer(db.read, clientId);
      if (stored && !isStrangers(stored)) return { row: consumers.withSecret(stored), isStored: true };
      if (!(await anywhere(deps, ALLOWS.document))) return undefined;
      // What is stored is what the last process that read it found. With what this one has kept instead, the two would write over each other.
      const document = await fetched.read(clientId, address, (body) => !stored || consumers.saysTheSame(stored, body));
      // Its host does not answer at the moment: it is what it was.
      if (document === 'away') return stored && { row: consumers.withSecret(stored), isStored: true };
      if (document === undefined) return undefined;
      if (!stored) return { row: consumers.withSecret(consumers.rowOf(document, clientId, columnsOf(clock))), isStored: false };
      const row = await follow(stored, document);
      return row && { row: consumers.withSecret(row), isStored: true };
    },

    /** A person allows it something. The policy of their domain says how many there may be. */
    async store(actor: Actor, userId: string, clientId: string, address: string): Promise<ConsumerRow | undefined> {
      const stored = await findConsumer(db.read, clientId);
      if (stored) return stored;
      const document = await fetched.read(clientId, address);
      const user = await findUser(db.read, userId);
      if (document === undefined || document === 'away' || !user) return undefined;
      const { application_registration: policy } = await deps.domainSettings.of(user.domain_id);
      return change(actor, async (transaction) => {
        await refuseIfFull(deps, transaction, { domainId: null, origin: 'document', policy });
        // Under the lock: two people may be the first at the same moment.
        const other = await consumers.lock(transaction, clientId);
        return other ?? consumers.insert(transaction, document, clientId, columnsOf(clock));
      });
    },
  };
}

export type Documents = ReturnType<typeof createDocuments>;
