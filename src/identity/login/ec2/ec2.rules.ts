// Services ask who signed a request, and get a token of the owner of the key for the project of the key.
import { addressKey, type Gate, Throttle } from '../../../platform/limits/index.ts';
import type { Ec2Credentials, Ec2Key } from '../../delegation/credentials/index.ts';
import { type LoginAttempt, type LoginEvents, loginRefused } from '../../directory/logins/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { AuthRules, IssuedToken } from '../tokens/index.ts';
import type { Ec2Request, S3Request } from './ec2.schema.ts';
import { isS3Signature } from './s3-signatures.ts';
import { checkSignature } from './signatures.ts';

/** Events about wrong signatures for one key. Strangers make them through the service that asks; the log has all of them. */
const EVENTS = { attempts: 10, perSeconds: 60 };
/**
 * Keys of this length are not found by guessing, so wrong signatures do not close them: the name of a key is in addresses that are passed
 * around, and whoever knows it could lock its owner out. Shorter ones, which their owners chose, are limited like passwords.
 */
const LONG_SECRET = 32;

type Envelope<Request> = {
  readonly credentials?: Request | undefined;
  readonly credential?: Request | undefined;
  readonly ec2Credentials?: Request | undefined;
};

/** Fails with 400 for an empty body and 401 without a signature, as Keystone. */
function requestIn<Request extends { readonly access?: string | undefined; readonly signature?: string | undefined }>(
  body: Envelope<Request>,
): Request & { readonly access: string; readonly signature: string } {
  if (Object.keys(body).length === 0) fail('ec2.no_request');
  const request = body.credentials ?? body.credential ?? body.ec2Credentials;
  if (!request?.access || !request.signature) throw loginRefused('no signature');
  return request as Request & { readonly access: string; readonly signature: string };
}

export function createSignatureExchange({
  clock,
  config,
  gate,
  users,
  logins,
  auth,
  ec2Credentials,
}: Pick<Deps, 'clock' | 'config'> & {
  readonly gate: Gate;
  readonly users: Pick<Users, 'find'>;
  readonly logins: Pick<LoginEvents, 'recordLogin'>;
  readonly auth: Pick<AuthRules, 'exchangeKey'>;
  readonly ec2Credentials: Pick<Ec2Credentials, 'find'>;
}) {
  const events = new Throttle(EVENTS, clock);

  async function tokenBy(
    access: string,
    attempt: LoginAttempt,
    refusalOf: (key: Ec2Key) => string | undefined,
  ): Promise<IssuedToken> {
    const key = await ec2Credentials.find(access);
    const countedAs = key ? `key ${key.id}` : `address ${addressKey(attempt.address)}`;

    async function exchange({ subject }: LoginAttempt): Promise<IssuedToken> {
      if (!key) throw loginRefused('access key unknown');
      if (subject) subject.userId = key.userId;
      const isShort = key.secret.length < LONG_SECRET;
      if (isShort) gate.checkSecret(attempt, countedAs);
      const refusal = refusalOf(key);
      if (refusal !== undefined) {
        if (isShort) gate.wrongSecret(attempt, countedAs);
        throw loginRefused(refusal);
      }
      const user = await users.find(key.userId);
      if (!user) throw loginRefused('access key unknown');
      return auth.exchangeKey({ user, delegation: { kind: 'ec2', id: key.id }, epoch: key.epoch }, attempt);
    }

    if (!events.has(countedAs)) return exchange(attempt);
    return logins.recordLogin(attempt, ['ec2credential'], async (recorded) => {
      try {
        return await exchange(recorded);
      } catch (error) {
        if (events.has(countedAs)) events.take(countedAs);
        throw error;
      }
    });
  }

  return {
    byEc2Signature(body: Envelope<Ec2Request>, attempt: LoginAttempt): Promise<IssuedToken> {
      const { access, signature, verb = '', host = '', path = '', params = {}, headers = {}, body_hash } = requestIn(body);
      const request = { verb, host, path, params, headers, bodyHash: body_hash ?? '' };
      const { signatureSeconds, signaturesWithoutTime: allowTimeless } = config;
      const times = { now: clock.now(), leewayMs: signatureSeconds * 1000, allowTimeless };
      return tokenBy(access, attempt, ({ secret }) => {
        const check = checkSignature(request, signature, secret, times);
        if (check === 'good') return undefined;
        return check === 'wrong' ? 'signature wrong' : 'the time that was signed is missing, or too far from now';
      });
    },

    byS3Signature(body: Envelope<S3Request>, attempt: LoginAttempt): Promise<IssuedToken> {
      const { access, signature, token = '' } = requestIn(body);
      return tokenBy(access, attempt, ({ secret }) => (isS3Signature(token, signature, secret) ? undefined : 'signature wrong'));
    },
  };
}

export type SignatureExchange = ReturnType<typeof createSignatureExchange>;
