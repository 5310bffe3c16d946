// From an empty service to one that is set up, by clicks in the console alone and without a restart. Each change is asked of another replica;
// in the end the set-up goes into a file, and the file makes another empty service equal.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { STORABLE_PASSWORDS, TestApi } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { CircleServices } from '../support/circle-services.ts';
import { ENTRIES } from '../support/directory.ts';
import { inFullRun } from '../support/extent.ts';
import { MailServer } from '../support/mail-server.ts';
import { BOTH_DATABASES } from '../support/migrated-database.ts';
import { png } from '../support/pictures.ts';
import { PlainProvider } from '../support/plain-provider.ts';
import { freePort } from '../support/ports.ts';
import { Operator } from '../support/setup.ts';
import { READER, Slapd } from '../support/slapd.ts';
import { soon } from '../support/soon.ts';
import { Walk } from '../support/walk.ts';
import { APPLICATION, addApplication } from '../support/walk-application.ts';
import { openRegistration, setLook, setMail, setPasswordRules, unlockGrace } from '../support/walk-service.ts';
import { addProvider, connectDirectory, logInFromDirectory, PROVIDER, signInWithWallet } from '../support/walk-ways-in.ts';

const chromium = usesChromium();

/** The beginning: a file may wrap the rest. */
const imageIn = (side: number): string => png(side).toString('base64').slice(0, 40);
const OF_SERVICE = [
  ...['SMTP_HOST', 'BRAND_NAME', 'PASSWORD_MIN_LENGTH', 'REGISTRATION', 'TERMS_VERSION', 'LOCKOUT_FAILURE_ATTEMPTS'],
  ...['WALLET_SIGN_IN', 'WALLET_LINK'],
].map((name) => `GATEHOUSE_IDENTITY_${name}`);
const IN_THE_FILE = [...OF_SERVICE, 'ldap.url', PROVIDER, APPLICATION, 'harbour-keeper', imageIn(20), imageIn(64)];

/** Another empty service gets the file, and has the same afterwards. */
async function assertSetUpAgain({ services, around }: Walk): Promise<void> {
  const first = new Operator(services.api);
  // Addresses of the service itself are not in the file: it must know its own.
  const settings = { ...STORABLE_PASSWORDS, GATEHOUSE_IDENTITY_PORT: String(await freePort()) };
  const empty = new TestApi(services.kind, { settings });
  await empty.start();
  const second = new Operator(empty);
  try {
    const file = await first.export();
    for (const what of IN_THE_FILE) assert.ok(file.includes(what), `${what} is not in ${file}`);
    for (const [, name] of file.matchAll(/file: ([\w.-]+\.secret)/g)) {
      const secret = name!.startsWith(PROVIDER) ? around.provider.clientSecret : READER.password;
      writeFileSync(join(second.folder, name!), secret, { mode: 0o600 });
    }
    await second.apply(file);
    assert.equal(await second.export(), file);
    await soon(201, () => logInFromDirectory(empty));
  } finally {
    second.remove();
    first.remove();
    await empty.stop();
  }
}

// Replicas share a PostgreSQL; on SQLite there is one process.
for (const kind of inFullRun(BOTH_DATABASES, ['PostgreSQL']))
  describe(`A new administrator without a shell (${kind})`, () => {
    const services = new CircleServices(kind, { isEmpty: true });
    const mails = new MailServer();
    const slapd = new Slapd({ entries: ENTRIES });
    let walk: Walk;

    before(async () => {
      await Promise.all([services.start(), mails.open(), slapd.start()]);
      const redirectUri = `${services.api.url}/openid/providers/${PROVIDER}/callback`;
      const provider = await new PlainProvider({ redirectUri, person: 'anna' }).start();
      walk = new Walk(chromium, services, { mails, slapd, provider });
    });
    after(async () => {
      await Promise.all([walk?.around.provider.stop(), mails.close(), slapd.stop()]);
      await services.stop();
    });

    it('sets everything up in the console', async (context: TestContext) => {
      await walk.begin();
      await setMail(walk);
      await setLook(walk);
      await setPasswordRules(walk);
      await addProvider(walk);
      await connectDirectory(walk);
      await openRegistration(walk);
      await addApplication(walk);
      await unlockGrace(walk);
      await signInWithWallet(walk);
      context.diagnostic(`seen by the other replica after: ${walk.times.join(', ')}`);
      await assertSetUpAgain(walk);
    });
  });
