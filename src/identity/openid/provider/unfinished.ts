// What strangers make us keep: a request for a sign-in that nobody finishes, a session without a person, a pushed request or a
// device code of an application that has no secret. Counted by address, or anyone could fill the table.
import type { Provider } from 'oidc-provider';
import { addressKey, type Throttle } from '../../../platform/limits/index.ts';
import type { Payload } from './records/record.ts';

type Library = typeof import('oidc-provider');

/** So many at once, and as many again in that time; whoever finishes gives theirs back. */
export const UNFINISHED = { attempts: 300, perSeconds: 1800 };

const ANYONES = ['Interaction', 'Session'];
const OF_APPLICATIONS = ['PushedAuthorizationRequest', 'DeviceCode'];

export function createUnfinished({ default: Library, errors }: Library, throttle: Throttle) {
  const current = (): typeof Provider.ctx => Library.ctx;
  const address = (): string => addressKey(current()?.ip ?? '');
  const isOfStranger = (model: string, { accountId, result, session }: Payload): boolean =>
    accountId === undefined &&
    ((ANYONES.includes(model) && result === undefined && session?.accountId === undefined) ||
      (OF_APPLICATIONS.includes(model) && current()?.oidc.client?.clientAuthMethod === 'none'));

  return {
    /** Before something new is kept. The way back to the application says that it is not a good time. */
    take(model: string, payload: Payload): void {
      if (!isOfStranger(model, payload)) return;
      if (!throttle.has(address())) {
        const refusal = new errors.CustomOIDCProviderError(
          'temporarily_unavailable',
          'too many requests from this address are not finished',
        );
        throw Object.assign(refusal, { status: 429, statusCode: 429 });
      }
      throttle.take(address());
    },
    /** It is gone from the table. */
    giveBack(model: string): void {
      if (ANYONES.includes(model)) throttle.refund(address());
    },
  };
}

export type Unfinished = ReturnType<typeof createUnfinished>;
