// A test mail, with the settings as they are now: whether the server accepts it, and what it answers.
import { isAddress } from '../../../platform/mail/index.ts';
import type { Caller, FreshLogin } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { tryTest } from '../../ground/mail/index.ts';
import type { Deps } from '../../ground/resource/index.ts';

/** Somebody waits for the answer. */
const TIMEOUT_MS = 5_000;

export interface TestMailDeps extends Pick<Deps, 'clock' | 'change' | 'config'> {
  readonly dataDir: string;
  readonly freshLogin: FreshLogin;
  issuer(): string;
}

export const createTestMail =
  ({ clock, change, config, dataDir, freshLogin, issuer }: TestMailDeps) =>
  async (caller: Caller, { to, language }: { readonly to: string; readonly language?: string | undefined }) => {
    await freshLogin.requireInPerson(caller, 'identity:send_test_mail');
    if (!isAddress(to)) fail('request.bad_value', { field: 'to', why: 'it must be an e-mail address' });
    const { about, refusal } = await tryTest(config, dataDir, { to, language, at: clock.now(), url: issuer() }, TIMEOUT_MS);
    await change(caller, async ({ audit }) =>
      audit('settings.mail_tested', { kind: 'settings', id: 'service' }, { accepted: refusal === undefined }),
    );
    return { accepted: refusal === undefined, sent_to: about, answer: refusal ?? null };
  };
