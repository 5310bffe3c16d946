// The services under test: one for each kind of plans, with what has to be there before the suite comes.
import { certify } from '../../../test/support/certificates.ts';
import { type RunningService, startService } from '../../support/service.ts';
import type { Actor } from './drive.ts';
import { Person } from './person.ts';
import type { PlanRun, ServiceKind, Setting } from './plans.ts';
import { ALIAS, Registrations } from './registrations.ts';
import { type Signer, walletProvider } from './signers.ts';

type Settings = Readonly<Record<string, string>>;

export const KINDS: readonly ServiceKind[] = ['usual', 'certificates', 'registration', 'issuer', 'verifier'];

const HAIP: Settings = { GATEHOUSE_IDENTITY_HAIP: 'on' };

const FIXED: Readonly<Record<ServiceKind, Settings>> = {
  usual: {},
  // Asks programs for their certificates.
  certificates: { GATEHOUSE_IDENTITY_TLS_CLIENT_CERTIFICATES: 'on' },
  registration: { GATEHOUSE_IDENTITY_APPLICATION_REGISTRATION: 'token' },
  issuer: HAIP,
  // Without a type of its own, so that it asks for the credential of the suite only.
  verifier: { ...HAIP, GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first' },
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
  suite: string,
  more: Settings,
  options: { databaseUrl?: string | undefined; keep: boolean },
) {
  const { certificate, key } = certify({ name: 'CN=localhost', dns: ['localhost'] });
  return startService({
    databaseUrl: options.databaseUrl,
    keep: options.keep,
    tls: { cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() },
    // The suite has an internal address, which outgoing calls avoid otherwise.
    settings: { GATEHOUSE_OUTBOUND_ALLOW: new URL(suite).host, ...FIXED[kind], ...more },
  });
}

async function fill(service: RunningService, suite: string, provider: Signer): Promise<World> {
  const registrations = await Registrations.open(service, suite);
  const allow = await registrations.person();
  const person = await Person.start(service.url, { allow, deny: await registrations.person('reluctant') });
  return {
    service: service.url,
    suite,
    folder: service.folder,
    registrations,
    provider,
    person: allow,
    actors: { provider: atProvider(person, registrations), verifier: atVerifier(person) },
    stop: async () => {
      await person.stop();
      await service.stop();
    },
  };
}

const WALLET_KINDS: readonly ServiceKind[] = ['issuer', 'verifier'];

export async function startWorld(
  kind: ServiceKind,
  suite: string,
  folder: string,
  options: { databaseUrl?: string | undefined; keep: boolean },
): Promise<World> {
  const { file, signer } = walletProvider(folder, suite);
  const wallets = { GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE: file, ...walletLink(suite) };
  const service = await serve(kind, suite, WALLET_KINDS.includes(kind) ? wallets : {}, options);
  try {
    return await fill(service, suite, signer);
  } catch (error) {
    await service.stop();
    throw error;
  }
}
