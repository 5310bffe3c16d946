// Trying the sign-in of an application from the console. An attempt lets the provider return to the console instead of the application,
// for one authorization request of the person who began it, within some minutes. ADR 021.

import { newSecret } from '../../../platform/ids.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference, parseJson } from '../../ground/resource/index.ts';
import { attemptUri } from '../paths/index.ts';
import { ATTEMPT } from '../provider/index.ts';
import type { Records } from '../records/index.ts';

export const ATTEMPT_SECONDS = 300;

export interface SignInAttemptDeps extends Pick<Deps, 'clock' | 'change'> {
  readonly records: Records;
  issuer(): string;
}

export function createSignInAttempts({ clock, change, records, issuer }: SignInAttemptDeps) {
  return {
    async begin(caller: Caller, { id, redirect_uris, extra }: ConsumerRow) {
      const why =
        (JSON.parse(redirect_uris) as string[]).length === 0
          ? 'it has no redirect address, so that nobody signs in to it with a browser'
          : parseJson(extra).require_pushed_authorization_requests === true
            ? 'it must push its authorization requests, which only the application itself can do'
            : undefined;
      if (why !== undefined) fail('consumer.cannot_be_tried', { id, why });
      const secret = newSecret();
      await change(caller, async (transaction) => {
        const payload = { accountId: caller.userId, clientId: id };
        await failOnBrokenReference(
          () => fail('consumer.not_found', { id }),
          () => records.add(transaction, { model: ATTEMPT, id: secret, payload, lifetime: ATTEMPT_SECONDS }),
        );
        transaction.audit('consumer.sign_in_tried', { kind: 'consumer', id });
      });
      return { redirectUri: attemptUri(issuer(), secret), expiresAt: clock.now() + ATTEMPT_SECONDS * 1000 };
    },
  };
}

export type SignInAttempts = ReturnType<typeof createSignInAttempts>;
