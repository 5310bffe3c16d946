// Signed answers of introspection (RFC 9701).
import { createPrivateKey } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { type Algorithm, signJws, signWith } from '../../../verifiable/jose/index.ts';
import type { Keyring, OpenidKeys } from './keys.ts';

export const SIGNED_INTROSPECTION = 'application/token-introspection+jwt';

/** Whether a caller asks for it. Whatever else it accepts, too, it knows what to do with it. */
export const asksForSigned = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((one) => one.split(';', 1)[0]!.trim().toLowerCase() === SIGNED_INTROSPECTION);

export interface SignedIntrospectionDeps {
  readonly clock: Clock;
  readonly openidKeys: Pick<OpenidKeys, 'readKeyring' | 'onChange'>;
  issuer(): string;
}

export function createSignedIntrospection({ clock, openidKeys, issuer }: SignedIntrospectionDeps) {
  /** What was begun before a change is forgotten with it, also if it arrives later. */
  let reading: Promise<Keyring> | undefined;
  openidKeys.onChange(() => {
    reading = undefined;
  });

  function readAgain(): Promise<Keyring> {
    const begun = openidKeys.readKeyring();
    reading = begun;
    begun.catch(() => {
      if (reading === begun) reading = undefined;
    });
    return begun;
  }

  async function currentKeys(): Promise<Keyring> {
    const keyring = await (reading ?? readAgain());
    return keyring.changesAt != null && seconds(clock) >= keyring.changesAt ? readAgain() : keyring;
  }

  /** `answer`: as JSON. For this client only: whoever it shows it to sees for whom it was. */
  return async (answer: string, clientId: string, algorithm: string): Promise<string> => {
    const { signing } = await currentKeys();
    const jwk = signing.find(({ alg }) => alg === algorithm)!;
    const key = createPrivateKey({ key: jwk as never, format: 'jwk' });
    return signJws(
      { alg: algorithm, kid: jwk.kid, typ: 'token-introspection+jwt' },
      { iss: issuer(), aud: clientId, iat: seconds(clock), token_introspection: JSON.parse(answer) as unknown },
      (data) => signWith(key, algorithm as Algorithm, data),
    );
  };
}

export type SignedIntrospection = ReturnType<typeof createSignedIntrospection>;
