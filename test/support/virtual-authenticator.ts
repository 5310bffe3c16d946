// Passkeys in a real browser: the virtual authenticator of Chromium.
import type { CDPSession, Page } from 'playwright-core';

/** For buttons: the virtual person would accept the autofill of the page before the test presses any. */
export const withoutAutofill = async (page: Page): Promise<void> => {
  await page.addInitScript(
    'if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  );
};

/** An authenticator in the device, with a person who always agrees. */
export class VirtualAuthenticator {
  readonly #session: CDPSession;
  readonly #id: string;

  private constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  static async in(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  async credentials() {
    return (await this.#session.send('WebAuthn.getCredentials', { authenticatorId: this.#id })).credentials;
  }

  async add(credential: Awaited<ReturnType<VirtualAuthenticator['credentials']>>[number]): Promise<void> {
    await this.#session.send('WebAuthn.addCredential', { authenticatorId: this.#id, credential });
  }

  async setUserVerified(isUserVerified: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified });
  }
}
