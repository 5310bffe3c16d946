// The services under test: one for each kind of plans, with what has to be there before the suite comes.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certify } from '../../../test/support/certificates.ts';
import { freePort, type RunningService, startService } from '../../support/service.ts';
import { Answers, elsewhere } from './ciba-plans.ts';
import { atLogin, clientActors, loginSettings } from './client-plans.ts';
import type { Actor } from './drive.ts';
import { atWallet, Holder } from './holder.ts';
import { atIssuer } from './issuer-plans.ts';
import { Offers } from './offers.ts';
import { Person } from './person.ts';
import type { PlanRun, ServiceKind, Setting, WalletNode } from './plan.ts';
import { ALIAS, Registrations } from './registrations.ts';
import { type Signer, walletProvider } from './signers.ts';
import { trustedByNode } from './wallet-plans.ts';

type Settings = Readonly<Record<string, string>>;

export const KINDS: readonly ServiceKind[] = [
  'usual',
  'certificates',
  'registration',
  'issuer',
  'verifier',
  'named-verifier',
  'node',
  'login',
];

/** With a wallet node beside them. */
const NODE_KINDS: readonly ServiceKind[] = ['node', 'login'];

const HAIP: Settings = { GATEHOUSE_IDENTITY_HAIP: 'on' };

const FIXED: Readonly<Record<ServiceKind, Settings>> = {
  usual: {},
  // Asks programs for their certificates.
  certificates: { GATEHOUSE_IDENTITY_TLS_CLIENT_CERTIFICATES: 'on' },
  registration: { GATEHOUSE_IDENTITY_APPLICATION_REGISTRATION: 'token' },
  // A person has at most 20 open offers, and a plan has more modules that leave one.
  issuer: { ...HAIP, GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_SECONDS: '60' },
  // Without a type of its own, so that it asks for the credential of the suite only.
  verifier: { ...HAIP, GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first' },
  'named-verifier': { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first', GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: 'x509_san_dns' },
  node: {},
  // Nothing else is registered at the suite: it is the default (OpenID Connect Dynamic Client Registration 1.0, 2).
  login: { GATEHOUSE_WALLET_OIDC_SIGNING_ALG: 'RS256' },
};

export interface World extends Setting {
  readonly folder: string;
  readonly actors: Readonly<Record<NonNullable<PlanRun['actor']>, Actor>>;
  stop(): Promise<void>;
}

const atProvider = (person: Person, registrations: Registrations): Actor => {
  let visits = 0;
  return {
    renew: () => {
      visits = 0;
      return person.renew();
    },
    visit: async (visit, module) => {
      visits++;
      if (module.endsWith('prior-to-auth-completion-succeeds')) {
        // The person closes the page, and comes back to sign in. A page to sign in at is no error, which the suite wants to see then.
        const { last } = await (visits === 1 ? person.look(visit) : person.visit(visit));
        return last ? { last } : {};
      }
      return person.visit(visit, module.includes('user-rejects') ? 'deny' : 'allow');
    },
    prepare: async (module) => void (module.endsWith('rotate-keys') && (await registrations.rotateKeys())),
  };
};

/** The person shows what the suite plays to have in a wallet. */
const atVerifier = (person: Person): Actor => ({
  renew: () => person.renew(),
  visit: (visit) => person.visit(visit),
  begin: () => person.useWallet(),
});

/** Where wallets come to: the suite plays one at an address. */
const walletLink = (suite: string): Settings => ({ GATEHOUSE_IDENTITY_WALLET_LINK: `${suite}/test/a/${ALIAS}/authorize` });

async function serve(
  kind: ServiceKind,
  { suite, folder }: Pick<World, 'suite' | 'folder'>,
  more: Settings,
  options: { databaseUrl?: string | undefined; keep: boolean },
) {
  // Of RSA: FAPI 1.0, 8.5, names no suites for other keys, and FAPI-CIBA builds on it.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { certificate, key } = certify({ name: 'CN=localhost', dns: ['localhost'], key: privateKey });
  // The wallet node asks the service beside it, too.
  const { NODE_EXTRA_CA_CERTS: known } = process.env;
  const authorities = join(folder, 'authorities.pem');
  writeFileSync(authorities, [certificate.toString(), known ? readFileSync(known, 'utf8') : ''].join('\n'));
  return startService({
    databaseUrl: options.databaseUrl,
    keep: options.keep,
    tls: { cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() },
    // The suite and a small issuer have internal addresses, which outgoing calls avoid otherwise.
    settings: {
      NODE_EXTRA_CA_CERTS: authorities,
      GATEHOUSE_OUTBOUND_ALLOW: `${new URL(suite).host},localhost,127.0.0.1`,
      ...FIXED[kind],
      ...more,
    },
    ...(NODE_KINDS.includes(kind) ? { walletPort: await freePort() } : {}),
  });
}

/** What the node says of itself to issuers, and the person at its pages. */
async function nodeAt(url: string, holder: Holder, trusted: ReturnType<typeof trustedByNode>): Promise<WalletNode> {
  const read = async (path: string): Promise<any> => (await fetch(url + path)).json();
  const {
    client_id: clientId,
    redirect_uris: [redirectUri],
    attester,
  } = await read('/.well-known/wallet-client');
  const jwks = await read('/.well-known/wallet-client/jwks.json');
  return { url, clientId, redirectUri, jwks, attester: attester.root, holder, ...trusted };
}

async function fill(
  service: RunningService,
  suite: string,
  provider: Signer,
  trusted: ReturnType<typeof trustedByNode>,
): Promise<World> {
  const registrations = await Registrations.open(service, suite);
  const allow = await registrations.person();
  const deny = await registrations.person('reluctant');
  const person = await Person.start(service.url, { allow, deny });
  const { walletUrl } = service;
  const answers = await Answers.start(person);
  const holder = walletUrl === undefined ? undefined : new Holder(person, walletUrl);
  const offers = new Offers(registrations);
  const provides = atProvider(person, registrations);
  const node = walletUrl && holder ? await nodeAt(walletUrl, holder, trusted) : undefined;
  return {
    service: service.url,
    ...(node ? { node } : {}),
    answers,
    offers,
    suite,
    folder: service.folder,
    registrations,
    provider,
    people: [allow, deny],
    actors: {
      provider: provides,
      issuer: atIssuer(provides, offers),
      verifier: atVerifier(person),
      ...clientActors(person, registrations),
      elsewhere: elsewhere(person),
      login: walletUrl ? atLogin(person, walletUrl, () => service.restart!()) : nobody,
      wallet: holder ? atWallet(holder) : nobody,
    },
    stop: async () => {
      answers.stop();
      await person.stop();
      await service.stop();
    },
  };
}

/** Where there is no wallet node. */
const nobody: Actor = { renew: async () => undefined, visit: () => Promise.reject(new Error('there is no wallet')) };

/** In files, as the node reads them. */
function trustSettings(folder: string, { suiteIssuer, suiteVerifier }: ReturnType<typeof trustedByNode>): Settings {
  const write = (name: string, { root }: Signer): string => {
    writeFileSync(join(folder, name), root);
    return join(folder, name);
  };
  return {
    GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS: write('issuers.pem', suiteIssuer),
    GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS: write('verifiers.pem', suiteVerifier),
  };
}

const WALLET_KINDS: readonly ServiceKind[] = ['issuer', 'verifier', 'named-verifier'];

export async function startWorld(
  kind: ServiceKind,
  suite: string,
  folder: string,
  options: { databaseUrl?: string | undefined; keep: boolean },
): Promise<World> {
  const { file, signer } = walletProvider(folder, suite);
  const wallets = { GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE: file, ...walletLink(suite) };
  const trusted = trustedByNode(suite);
  const node = {
    ...(NODE_KINDS.includes(kind) ? trustSettings(folder, trusted) : {}),
    ...(kind === 'login' ? loginSettings(suite) : {}),
  };
  const service = await serve(kind, { suite, folder }, WALLET_KINDS.includes(kind) ? wallets : node, options);
  try {
    return await fill(service, suite, signer, trusted);
  } catch (error) {
    await service.stop();
    throw error;
  }
}
