// `wallet-seed.ts FOLDER WALLET_URL PEOPLE`: creates sessions, keys and published DIDs with the wallet's own modules while it is
// stopped, since logins are not measured. Prints the cookies and names as JSON.
import { createSealOrFail, masterKeys } from '../src/data-folder.ts';
import { systemClock } from '../src/platform/clock.ts';
import { load } from '../src/platform/config/index.ts';
import { createLog } from '../src/platform/log/index.ts';
import type { Provider } from '../src/platform/openid-client/index.ts';
import { sharedSettings } from '../src/settings.ts';
import { createWalletChanges } from '../src/wallet/access/caller.ts';
import type { UnlessDamaged } from '../src/wallet/access/damage.ts';
import { createDids } from '../src/wallet/dids/index.ts';
import { walletSettings } from '../src/wallet/ground/settings.ts';
import { createKeys, createSoftwareStore } from '../src/wallet/keys/index.ts';
import { createPublication } from '../src/wallet/publication/index.ts';
import { createIdempotency } from '../src/wallet/resource/idempotency.store.ts';
import { openWalletDatabase } from '../src/wallet/service.ts';
import { createCookies, createSessions } from '../src/wallet/session/index.ts';

const [folder, url, people] = process.argv.slice(2) as [string, string, string];
const clock = systemClock;
const seal = createSealOrFail(masterKeys(load(sharedSettings, {}), folder, false));
const db = await openWalletDatabase(load(walletSettings, {}), folder);
const change = createWalletChanges(db, clock);
const publication = createPublication({ clock });
const unlessDamaged: UnlessDamaged = (_kind, _id, read) => read();
const stores = { software: createSoftwareStore(seal) };
const keys = createKeys({ db, clock, change, stores, listener: publication.keyListener, unlessDamaged });
const dids = createDids({ db, clock, change, keys, publication, unlessDamaged, publicUrl: () => url });
const cookies = createCookies(seal, () => url);
const provider = { issuer: 'https://id.example.org' } as Provider;
const rules = { idleMs: 86_400_000, lifeMs: 86_400_000 };
const sessions = createSessions({ db, clock, seal, cookies, provider, rules, log: createLog('silent') });
const once = createIdempotency(db, clock);

const made = await Promise.all(
  Array.from({ length: Number(people) }, async (_, at) => {
    const claims = { sub: `person-${at}`, name: `Person ${at}` };
    const grant = {
      issuer: provider.issuer,
      subject: claims.sub,
      claims,
      idToken: 'x',
      accessToken: '',
      sid: undefined,
      refreshToken: undefined,
      expiresAt: undefined,
    };
    const { id, session } = await sessions.begin(grant, undefined);
    const caller = { userId: session.owner, owner: session.owner, requestId: null, isAdministrator: false };
    for (let key = 0; key < 2; key++) await keys.create(caller, {}, once.of(caller, 'keys', {}, {}));
    const request = { method: 'web', path: `person-${at}`, service: [], alsoKnownAs: [] };
    const nothing = { domain: undefined, keyIds: undefined, alias: undefined, isDefault: undefined };
    const did = await dids.create(caller, { ...request, ...nothing }, once.of(caller, 'dids', {}, {}));
    await dids.publish(caller, did.row);
    return { cookie: cookies.set('session', id, 86_400).split(';', 1)[0], name: request.path };
  }),
);
await db.close();
console.log(JSON.stringify(made));
