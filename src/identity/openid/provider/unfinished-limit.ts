// Limits records that anonymous requests create: unfinished sign-ins, sessions without a person, and pushed requests, their proofs, and device codes
// of public clients. Counted by address: otherwise anyone could fill the table.
import type { Provider } from 'oidc-provider';
import { addressKey, type Throttle } from '../../../platform/limits/index.ts';
import type { RecordPayload } from '../records/index.ts';
import type { OidcProviderLibrary } from './library.ts';

/** The limit per address and period. A finished sign-in is not counted. */
export const UNFINISHED_LIMIT = { attempts: 300, perSeconds: 1800 };

const ANONYMOUS_MODELS = ['Interaction', 'Session'];
const CLIENT_MODELS = ['PushedAuthorizationRequest', 'DeviceCode'];
/** Of a DPoP proof. Elsewhere, one is stored only for who has a code or a token. */
const PROOF_MODEL = 'ReplayDetection';
const PUSHED_ROUTE = 'pushed_authorization_request';

export function createUnfinishedLimit({ default: OidcProvider, errors }: OidcProviderLibrary, throttle: Throttle) {
  const current = (): typeof Provider.ctx => OidcProvider.ctx;
  const address = (): string => addressKey(current()?.ip ?? '');
  const isOfClient = (model: string): boolean =>
    CLIENT_MODELS.includes(model) || (model === PROOF_MODEL && current()?.oidc.route === PUSHED_ROUTE);
  const isAnonymous = (model: string, { accountId, result, session }: RecordPayload): boolean =>
    accountId === undefined &&
    ((ANONYMOUS_MODELS.includes(model) && result === undefined && session?.accountId === undefined) ||
      (isOfClient(model) && current()?.oidc.client?.clientAuthMethod === 'none'));

  return {
    /** Call before storing a new record. Over the limit, the application gets `temporarily_unavailable`. */
    reserve(model: string, payload: RecordPayload): void {
      if (!isAnonymous(model, payload)) return;
      if (!throttle.has(address())) {
        const refusal = new errors.CustomOIDCProviderError(
          'temporarily_unavailable',
          'too many requests from this address are not finished',
        );
        throw Object.assign(refusal, { status: 429, statusCode: 429 });
      }
      throttle.take(address());
    },
    /** Call when a record was deleted. */
    release(model: string): void {
      if (ANONYMOUS_MODELS.includes(model)) throttle.refund(address());
    },
  };
}

export type UnfinishedLimit = ReturnType<typeof createUnfinishedLimit>;
