// Everything that a user, or somebody who had taken over the account, let act for the user. A new password and a second factor do not end it: a
// program must not stop because its user changes a password. So the user sees it, and ends it one by one or all at once.
import { seconds } from '../../../platform/clock.ts';
import { namesOf } from '../../directory/grants/index.ts';
import type { LoginRequirements } from '../../directory/two-factor/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { type ApplicationCredentials, endApplicationCredentials } from '../application-credentials/index.ts';
import { type Credentials, endKeys } from '../credentials/index.ts';
import { endOAuth1AccessTokens, type OAuth1 } from '../oauth1/index.ts';
import { endTrusts, type Trusts } from '../trusts/index.ts';

type End = (transaction: Change, userId: string, only?: string) => Promise<number>;

/** Each ends all of its kind, or one, and says how many these were. */
const ENDS = {
  application_credential: endApplicationCredentials,
  trust: endTrusts,
  oauth1: endOAuth1AccessTokens,
  // EC2 keys, and keys of authenticator apps that were stored at /v3/credentials.
  key: endKeys,
} as const satisfies Readonly<Record<string, End>>;

export type DelegatedKind = keyof typeof ENDS;
export const DELEGATED_KINDS = Object.keys(ENDS) as DelegatedKind[];

export interface DelegatedItem {
  readonly kind: DelegatedKind;
  readonly id: string;
  readonly is: 'application credential' | 'EC2 key' | 'key of codes' | 'trust' | 'OAuth1 token';
  /** As its user called it, or the program, or the person whom it is for. */
  readonly name: string | undefined;
  readonly project: string | undefined;
  /** Times in seconds. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** Rolls back: there is nothing to write into the audit log. */
class NothingEnded extends Error {}

export interface DelegatedList {
  /** The newest first, without what gives nothing any more. */
  readonly items: readonly DelegatedItem[];
  /** There are more trusts, which may be thousands. */
  readonly hasMore: boolean;
}

/** Of trusts that are shown. */
const MOST_TRUSTS = 200;

export function createDelegatedAccess({
  db,
  clock,
  change,
  users,
  applicationCredentials,
  trusts,
  oauth1,
  credentials,
  requirements: { keepingSecond },
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly requirements: Pick<LoginRequirements, 'keepingSecond'>;
  readonly users: Pick<Users, 'endAccess'>;
  readonly applicationCredentials: Pick<ApplicationCredentials, 'list'>;
  readonly trusts: Pick<Trusts, 'standing'>;
  readonly oauth1: Pick<OAuth1, 'accessTokens'>;
  readonly credentials: Pick<Credentials, 'keysOf'>;
}) {
  type UnnamedItem = Omit<DelegatedItem, 'project'> & { readonly projectId: string | null };

  const isOver = (expiresAt: number | null): boolean => expiresAt !== null && expiresAt <= seconds(clock);

  async function find(userId: string): Promise<{ found: UnnamedItem[]; hasMore: boolean }> {
    const programs = (await applicationCredentials.list(userId, {})).map(
      ({ row }): UnnamedItem => ({
        kind: 'application_credential',
        is: 'application credential',
        id: row.id,
        name: row.name,
        projectId: row.project_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }),
    );
    const keys = (await credentials.keysOf(userId)).map(
      ({ row, name }): UnnamedItem => ({
        kind: 'key',
        is: name === undefined ? 'key of codes' : 'EC2 key',
        id: row.id,
        name,
        projectId: row.project_id,
        createdAt: row.created_at,
        expiresAt: null,
      }),
    );
    // Those that are over stay in the database for a while. They must not be all that is found.
    const standing = await trusts.standing(userId, MOST_TRUSTS + 1);
    const shown = standing.slice(0, MOST_TRUSTS);
    const trustees = await namesOf(
      db.read,
      'users',
      shown.map(({ trustee_user_id }) => trustee_user_id),
    );
    const trusted = shown.map(
      (row): UnnamedItem => ({
        kind: 'trust',
        is: 'trust',
        id: row.id,
        name: trustees.get(row.trustee_user_id)?.name,
        projectId: row.project_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }),
    );
    const tokens = await oauth1.accessTokens.list(userId);
    const consumers = await oauth1.accessTokens.consumerNames(tokens);
    const authorized = tokens.map(
      (row): UnnamedItem => ({
        kind: 'oauth1',
        is: 'OAuth1 token',
        id: row.id,
        name: consumers.get(row.consumer_id),
        projectId: row.project_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }),
    );
    return {
      found: [...programs, ...keys, ...trusted, ...authorized].filter(({ expiresAt }) => !isOver(expiresAt)),
      hasMore: standing.length > MOST_TRUSTS,
    };
  }

  return {
    async list(userId: string): Promise<DelegatedList> {
      const { found, hasMore } = await find(userId);
      const projects = await namesOf(
        db.read,
        'projects',
        found.flatMap(({ projectId }) => projectId ?? []),
      );
      const items = found
        .map(({ projectId, ...item }) => ({ ...item, project: projectId === null ? undefined : projects.get(projectId)?.name }))
        .sort((one, other) => other.createdAt - one.createdAt);
      return { items, hasMore };
    },

    /** False when it is gone already. */
    async end(actor: Actor, userId: string, kind: string, id: string): Promise<boolean> {
      const known =
        DELEGATED_KINDS.find((one) => one === kind) ?? fail('request.bad_value', { field: 'kind', why: 'it is unknown' });
      return change(actor, async (transaction) => {
        const ended = await keepingSecond(actor, transaction.tx, userId, () => ENDS[known](transaction, userId, id));
        if (ended === 0) throw new NothingEnded();
        return true;
      }).catch((error: unknown) => {
        if (!(error instanceof NothingEnded)) throw error;
        return false;
      });
    },

    /**
     * All of it, with the tokens, sessions and remembered devices of the user and what applications got: whoever has one of these could make
     * the rest again. Passkeys and other ways to sign in stay.
     */
    async endAll(actor: Actor, userId: string): Promise<void> {
      await change(actor, async (transaction) => {
        await users.endAccess(transaction, userId);
        await keepingSecond(actor, transaction.tx, userId, async () => {
          for (const kind of DELEGATED_KINDS) await ENDS[kind](transaction, userId);
        });
      });
    },
  };
}

export type DelegatedAccess = ReturnType<typeof createDelegatedAccess>;
