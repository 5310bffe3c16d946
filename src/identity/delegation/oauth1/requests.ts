// Checks a request that a consumer signed: who signed it, that it is recent, and that it was not sent before.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Database, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { SignedRequest } from '../../ground/resource/index.ts';
import { consumerContext } from './consumers.rules.ts';
import { findConsumer, insertNonce } from './oauth1.store.ts';
import { isSignedBy, MAX_SKEW, type OAuthParameters, readAuthorization } from './signature.ts';

const MINUTE = 60;

export interface OAuth1Requests {
  /** The parameters. Fails with 400 for those that cannot be. */
  read(request: SignedRequest): OAuthParameters;
  /** Fails unless the consumer signed it; with the secret of the token, if it names one. */
  verify(request: SignedRequest, parameters: OAuthParameters, tokenSecret?: string): Promise<void>;
  /** False when the same request was accepted before. Only what was verified is stored, so that strangers do not fill the table. */
  isNew(tx: Tx, parameters: OAuthParameters): Promise<boolean>;
}

export function createOAuth1Requests({ db, clock, seal }: { db: Database; clock: Clock; seal: Seal }): OAuth1Requests {
  return {
    read: ({ authorization }) => readAuthorization(authorization, seconds(clock)),

    async verify(request, parameters, tokenSecret = '') {
      const consumer = await findConsumer(db.read, parameters.consumerKey);
      const secret = consumer && seal.open(consumer.secret, consumerContext(consumer.id)).toString();
      if (secret === undefined || !isSignedBy(request, parameters, { consumer: secret, token: tokenSecret }))
        fail('oauth1.refused', undefined, { reason: 'consumer unknown, or signature wrong' });
    },

    isNew(tx, { consumerKey, token, timestamp, nonce }) {
      const hash = createHash('sha256')
        .update(JSON.stringify([consumerKey, token ?? null, timestamp, nonce]))
        .digest('base64url');
      return insertNonce(tx, hash, timestamp + MAX_SKEW + MINUTE);
    },
  };
}
