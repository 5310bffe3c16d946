// The verifier of the library for OID4VP. It is loaded when it is first needed.
import type { Openid4vpVerifier } from '@openid4vc/openid4vp';

type Callbacks = ConstructorParameters<typeof Openid4vpVerifier>[0]['callbacks'];

export async function loadVerifier(callbacks: Partial<Callbacks>): Promise<Openid4vpVerifier> {
  const [{ Openid4vpVerifier: Verifier }, { setGlobalConfig }] = await Promise.all([
    import('@openid4vc/openid4vp'),
    import('@openid4vc/oauth2'),
  ]);
  // The only address in our requests is our own, which may be plain http during development.
  setGlobalConfig({ allowInsecureUrls: true });
  return new Verifier({ callbacks: callbacks as Callbacks });
}
