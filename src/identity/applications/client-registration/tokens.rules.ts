// Tokens with which applications register themselves in a domain (initial access tokens, RFC 7591, 3). Administrators and managers of the domain
// make and end them.
import { seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { findProject } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf, visibleDomain } from '../../access/rules/index.ts';
import type { RegistrationTokenRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import {
  countTokens,
  deleteExpiredTokens,
  deleteToken,
  findToken,
  insertToken,
  listTokens,
} from './client-registration.store.ts';
import { hashOf, newToken } from './secrets.ts';

const DAY = 86_400;
/** In one domain. */
const MAX_TOKENS = 200;
const SWEPT_AT_ONCE = 1000;

export interface NewToken {
  readonly name: string;
  readonly uses?: number | undefined;
  readonly lifetime_seconds?: number | undefined;
}

export function createRegistrationTokens({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  return {
    target: async (id: string): Promise<IdentityTarget<RegistrationTokenRow>> =>
      targetOf(
        await findToken(db.read, id),
        ({ domain_id }) => ({ domainId: domain_id }),
        () => fail('registration_token.not_found', { id }),
      ),

    /** Those of one domain, or all; never those that a manager of another domain made. */
    list: (caller: Caller, domainId: string | undefined) => listTokens(db.read, visibleDomain(caller) ?? domainId),

    /** The token is returned once; only its hash is stored. */
    async create(caller: Caller, domainId: string, { name, uses = 1, lifetime_seconds: lifetime = DAY }: NewToken) {
      const domain = await findProject(db.read, domainId);
      if (domain?.is_domain !== 1) fail('domain.not_found', { id: domainId });
      const token = newToken('registration');
      const now = seconds(clock);
      const row: RegistrationTokenRow = {
        id: newId(),
        domain_id: domainId,
        name,
        token_hash: hashOf(token),
        uses_left: uses,
        created_at: now,
        expires_at: now + lifetime,
        last_used_at: null,
      };
      await change(caller, async ({ tx, audit }) => {
        if ((await countTokens(tx, domainId, now)) >= MAX_TOKENS) fail('registration_token.too_many', { limit: MAX_TOKENS });
        await failOnBrokenReference(
          () => fail('domain.not_found', { id: domainId }),
          () => insertToken(tx, row),
        );
        audit('registration_token.created', { kind: 'registration_token', id: row.id }, { domain_id: domainId, name, uses });
      });
      return { row, token };
    },

    /** Applications that registered with it stay. */
    async end(caller: Caller, { id }: RegistrationTokenRow): Promise<void> {
      await change(caller, async ({ tx, audit }) => {
        if (!(await deleteToken(tx, id))) fail('registration_token.not_found', { id });
        audit('registration_token.ended', { kind: 'registration_token', id });
      });
    },

    sweep: (): Promise<number> => db.write((tx) => deleteExpiredTokens(tx, seconds(clock), SWEPT_AT_ONCE)),
  };
}

export type RegistrationTokens = ReturnType<typeof createRegistrationTokens>;
