// The three steps of OAuth1: a consumer gets a request token, a user authorizes it, and the consumer changes it for an access token.
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { lockRow } from '../../../platform/database/index.ts';
import { newId, newSecret } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { type Access, closureOf, findProject } from '../../access/context/index.ts';
import { type Caller, type FreshLogin, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import { idsOfRoles, type NamedRole } from '../../directory/roles/index.ts';
import type { OAuth1AccessTokenRow, OAuth1RequestTokenRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference, type SignedRequest } from '../../ground/resource/index.ts';
import {
  authorizeRequestToken,
  countRequestTokens,
  findRequestToken,
  insertAccessToken,
  insertRequestToken,
  lockConsumer,
  takeRequestToken,
} from './oauth1.store.ts';
import type { OAuth1Requests } from './requests.ts';

export interface IssuedToken {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: number | null;
}

/** Keystone's: without those that look alike. */
const VERIFIER_CHARS = 'abcdefghkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const VERIFIER_LENGTH = 8;
const newVerifier = (): string =>
  Array.from({ length: VERIFIER_LENGTH }, () => VERIFIER_CHARS[randomInt(VERIFIER_CHARS.length)]).join('');
const hashOf = (requestTokenId: string, verifier: string): string =>
  createHash('sha256').update(`${requestTokenId} ${verifier}`).digest('base64url');
const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const requestContext = (id: string): string => `oauth1_request_tokens/${id}`;
export const accessContext = (id: string): string => `oauth1_access_tokens/${id}`;

export interface OAuth1TokenDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'> {
  readonly access: Pick<Access, 'inspect' | 'roleGraph'>;
  readonly freshLogin: FreshLogin;
  readonly seal: Seal;
  readonly requests: OAuth1Requests;
}

export function createOAuth1Tokens({ db, clock, change, config, access, freshLogin, seal, requests }: OAuth1TokenDeps) {
  function endOfAccess(): number | null {
    const duration = config.oauth1AccessTokenSeconds;
    return duration > 0 ? seconds(clock) + duration : null;
  }

  const refuse = (reason: string): never => fail('oauth1.refused', undefined, { reason });

  function refuseExpired({ expires_at }: OAuth1RequestTokenRow): void {
    if (expires_at !== null && expires_at <= seconds(clock)) fail('oauth1.request_token_expired');
  }

  async function requestToken(request: SignedRequest, projectId: string | undefined, requestId: string): Promise<IssuedToken> {
    const parameters = requests.read(request);
    if (!projectId) return fail('oauth1.bad_request', { why: 'the header Requested-Project-Id is missing' });
    await requests.verify(request, parameters);
    if (!(await findProject(db.read, projectId))) fail('project.not_found', { id: projectId });
    const [id, secret, expiresAt] = [newId(), newSecret(), seconds(clock) + config.oauth1RequestTokenSeconds];
    const row: OAuth1RequestTokenRow = {
      id,
      consumer_id: parameters.consumerKey,
      project_id: projectId,
      secret: seal.seal(Buffer.from(secret), requestContext(id)),
      user_id: null,
      verifier_hash: null,
      role_ids: null,
      expires_at: expiresAt,
    };
    await change({ userId: null, requestId }, async ({ tx, audit }) => {
      if (!(await requests.isNew(tx, parameters))) refuse('the request was sent before');
      // One after the other, so that they are counted right.
      if (!(await lockConsumer(db, tx, row.consumer_id))) refuse('the consumer was deleted');
      const limit = config.oauth1RequestTokenLimit;
      if ((await countRequestTokens(tx, row.consumer_id, seconds(clock))) >= limit) fail('oauth1.request_token_limit', { limit });
      await failOnBrokenReference(
        () => refuse('the project was deleted'),
        () => insertRequestToken(tx, row),
      );
      audit('oauth1_request_token.created', { kind: 'oauth1_request_token', id }, { consumer_id: row.consumer_id });
    });
    return { id, secret, expiresAt };
  }

  async function authorize(caller: Caller, row: OAuth1RequestTokenRow, roles: readonly NamedRole[]): Promise<string> {
    // What is authorized lasts longer than the token. A stolen one must not become that.
    await freshLogin.requireRecent(caller);
    refuseExpired(row);
    const ids = await idsOfRoles(db.read, roles);
    const { grants } = await access.inspect(caller.userId, { kind: 'project', id: row.project_id });
    const { implied } = await access.roleGraph();
    const held = closureOf(
      implied,
      grants.map(({ roleId }) => roleId),
    );
    if (!ids.every((id) => held.has(id))) fail('oauth1.role_not_held');
    const verifier = newVerifier();
    await change(freshLogin.actorFor(caller, caller.userId), async ({ tx, audit }) => {
      const values = {
        user_id: caller.userId,
        verifier_hash: hashOf(row.id, verifier),
        role_ids: JSON.stringify([...new Set(ids)]),
      };
      if (!(await authorizeRequestToken(tx, row.id, values))) fail('oauth1.request_token_not_found', { id: row.id });
      audit(
        'oauth1_request_token.authorized',
        { kind: 'oauth1_request_token', id: row.id },
        { consumer_id: row.consumer_id, user_id: caller.userId, project_id: row.project_id },
      );
    });
    return verifier;
  }

  async function accessToken(request: SignedRequest, requestId: string): Promise<IssuedToken> {
    const parameters = requests.read(request);
    const { consumerKey, token, verifier } = parameters;
    if (token === undefined) return fail('oauth1.bad_request', { why: 'oauth_token is missing' });
    if (verifier === undefined) return fail('oauth1.bad_request', { why: 'oauth_verifier is missing' });
    const found = await findRequestToken(db.read, token);
    const own = found?.consumer_id === consumerKey ? found : undefined;
    // The same steps whatever is wrong, so that a stranger learns nothing.
    const tokenSecret = own ? seal.open(own.secret, requestContext(own.id)).toString() : newSecret();
    await requests.verify(request, parameters, tokenSecret);
    if (!own) return refuse('the request token is unknown, or of another consumer');
    refuseExpired(own);
    const { user_id: userId, verifier_hash: hash, role_ids: roleIds } = own;
    if (userId === null || hash === null || roleIds === null) return refuse('nobody has authorized the request token');
    if (!isEqual(hash, hashOf(own.id, verifier))) refuse('the verifier is wrong');
    const [id, secret, expiresAt] = [newId(), newSecret(), endOfAccess()];
    const row: OAuth1AccessTokenRow = {
      id,
      consumer_id: consumerKey,
      user_id: userId,
      project_id: own.project_id,
      secret: seal.seal(Buffer.from(secret), accessContext(id)),
      expires_at: expiresAt,
      created_at: seconds(clock),
    };
    await change({ userId: null, requestId }, async ({ tx, audit }) => {
      if (!(await requests.isNew(tx, parameters))) refuse('the request was sent before');
      // Whoever disables the account deletes its tokens, and waits for this one.
      const user = await lockRow(db, tx, 'users', userId, 'share');
      if (user?.enabled !== 1) refuse('the user is disabled or was deleted');
      // Before the request token, as whoever deletes the consumer does: otherwise they would wait for each other.
      if (!(await lockConsumer(db, tx, consumerKey, 'share'))) refuse('the consumer was deleted');
      if (!(await takeRequestToken(tx, own))) refuse('the request token was used');
      await failOnBrokenReference(
        () => refuse('the user, the project or a role was deleted'),
        () => insertAccessToken(tx, row, JSON.parse(roleIds) as string[]),
      );
      audit(
        'oauth1_access_token.created',
        { kind: 'oauth1_access_token', id },
        { consumer_id: consumerKey, user_id: userId, project_id: row.project_id },
      );
    });
    return { id, secret, expiresAt };
  }

  return {
    requestToken,
    authorize,
    accessToken,
    target: async (id: string): Promise<IdentityTarget<OAuth1RequestTokenRow>> =>
      targetOf(
        await findRequestToken(db.read, id),
        () => ({}),
        () => fail('oauth1.request_token_not_found', { id }),
      ),
  };
}

export type OAuth1Tokens = ReturnType<typeof createOAuth1Tokens>;
