// Who exists, and how they prove who they are.

import type { AccessRoom } from '../access/build.ts';
import { createFreshLogin, type RankGuard } from '../access/rules/index.ts';
import type { Actor, Change } from '../ground/audit/index.ts';
import type { PasskeyRow, Tx } from '../ground/database/index.ts';
import { createNews, createQuestion } from '../ground/resource/index.ts';
import { createDomainConfig, createEffectiveSettings } from './domain-config/index.ts';
import { createDomainLooks } from './domain-looks/index.ts';
import { createDomainSettings, type DomainSettingsOf } from './domain-settings/index.ts';
import { createAssignments, createGrants, createUserScopes } from './grants/index.ts';
import { createGroups } from './groups/index.ts';
import { createDirectories } from './ldap/index.ts';
import { createLocks } from './locks/index.ts';
import { createLoginEvents } from './logins/index.ts';
import { createNotices } from './notices/index.ts';
import { createPasskeyPolicy, createPasskeys, type KeptSession, relyingPartyOf } from './passkeys/index.ts';
import { createPasswords, type LockOuts } from './passwords/index.ts';
import { createPictures } from './pictures/index.ts';
import { createDomains, createProjects, createTags } from './projects/index.ts';
import { createImpliedRoles, createRoles } from './roles/index.ts';
import { createDevices, createFactor, createLoginRequirements, createSubject } from './two-factor/index.ts';
import { createUsers } from './users/index.ts';

/** What rooms above act on when an account changes. */
const createAccountNews = () => ({
  /** Everything that lets somebody in ends: sessions, devices, links. */
  accessRevoked: createNews<[userId: string]>(),
  sessionsEnded: createNews<[userId: string]>(),
  emailChanged: createNews<[userId: string]>(),
  disabled: createNews<[userId: string]>(),
  enabled: createNews<[userId: string]>(),
  passkeyRemoved: createNews<[passkey: PasskeyRow, kept: KeptSession | undefined]>(),
});

export type AccountNews = ReturnType<typeof createAccountNews>;

const lockOutsOf = (domainSettings: DomainSettingsOf): LockOuts => ({
  of: async (domainId, reader) =>
    (domainId === undefined ? domainSettings.defaults() : await domainSettings.of(domainId, reader)).lock_out,
  exist: () => domainSettings.hasLockOuts,
  async all() {
    const service = domainSettings.defaults().lock_out;
    const isOther = ({ attempts, duration }: typeof service) => attempts !== service.attempts || duration !== service.duration;
    const found = (await domainSettings.domains()).map(({ domainId, settings }) => [domainId, settings.lock_out] as const);
    return { service, own: new Map(found.filter(([, rules]) => isOther(rules))) };
  },
});

/** The ways in: passwords, second factors, passkeys. */
function buildProofs(below: AccessRoom, news: AccountNews) {
  const { db, config, links } = below;
  const domainSettings = createDomainSettings(below);
  const relyingParty = () => relyingPartyOf(below.issuer(), config.twoFactorIssuer);
  const passkeyPolicy = createPasskeyPolicy({ db, domainSettings, relyingParty });
  // Administrators could not sign in at all.
  domainSettings.checks.push(({ passkeys }, reader) => passkeyPolicy.refuseImpossible(below.issuer(), passkeys.policy, reader));
  const domainLooks = createDomainLooks({ ...below, domainSettings });
  below.domainMailLook.answer(domainLooks.mailLook);
  const requirements = createLoginRequirements({
    db,
    domainSettings,
    isPasskeyRequired: passkeyPolicy.isRequired,
    hasUsablePasskey: passkeyPolicy.hasUsable,
  });
  const devices = createDevices({ ...below, domainSettings });
  news.accessRevoked.listen(devices.forgetInTransaction, links.endOf);
  news.emailChanged.listen(links.endOf);
  return {
    domainSettings,
    domainLooks,
    relyingParty,
    passkeyPolicy,
    devices,
    passwords: createPasswords({
      ...below,
      rulesOf: async (domainId) => (await domainSettings.of(domainId)).passwords,
      lockOuts: lockOutsOf(domainSettings),
    }),
    requirements,
    freshLogin: createFreshLogin({ ...below, missingMethods: requirements.missingMethods }),
    logins: createLoginEvents(below),
    notices: createNotices(below),
  };
}

/** `refuseIfOutranked`: refuses changes of people who have more rights than the caller, also rights in applications. */
export function buildDirectory(below: AccessRoom, refuseIfOutranked: RankGuard) {
  const news = createAccountNews();
  /** Whether an account can be entered without its passkeys. */
  const waysBesidePasskeys = createQuestion<[tx: Tx, userId: string]>();
  /** Whether a token was made from a session of the person. */
  const isOfSession = createQuestion<[transaction: Change, userId: string, auditId: string]>();
  const proofs = buildProofs(below, news);
  const { passkeyPolicy, relyingParty, notices } = proofs;
  const deps = { ...below, ...proofs, refuseIfOutranked };
  const listeners = {
    revokeAccess: news.accessRevoked.tell,
    endSessions: news.sessionsEnded.tell,
    onEmailChanged: news.emailChanged.tell,
    onPasswordChanged: notices.passwordChanged,
    onDisabled: news.disabled.tell,
    onEnabled: news.enabled.tell,
  };
  const domains = createDomains({ ...below, fileOf: proofs.domainSettings.fileOf });
  const directories = createDirectories({ ...deps, ...listeners, endTokensOf: domains.endTokens });
  const directory = directories.guard;
  const { hasFactor, missingNow } = proofs.requirements;
  const ways = { hasPasskey: passkeyPolicy.hasUsable, hasFactor, missingNow };
  const users = createUsers({ ...deps, ...listeners, ...ways, directory });
  /** The token that is kept must not live on after its session: nobody could sign it out. */
  const endOthers = async (transaction: Change, userId: string, keeps: Actor['keeps']): Promise<void> => {
    const endsWithSession = keeps?.madeFrom !== undefined && (await isOfSession.ask(transaction, userId, keeps.madeFrom));
    await users.endLogins(transaction, userId, endsWithSession ? undefined : keeps);
  };
  /** A password here, or in a directory. */
  const knowsPassword = async (tx: Tx, userId: string): Promise<boolean> =>
    (await proofs.passwords.has(tx, userId)) || directory.hasPassword(tx, userId);
  waysBesidePasskeys.answer(knowsPassword);
  return {
    ...deps,
    news,
    waysBesidePasskeys,
    isOfSession,
    directories,
    directory,
    users,
    knowsPassword,
    factor: createFactor({
      ...deps,
      endOthers,
      mustHave: proofs.requirements.mustHaveFactor,
      issuer: () => below.config.twoFactorIssuer,
    }),
    subject: createSubject({ ...deps, users }),
    locks: createLocks({ ...deps, users }),
    passkeys: createPasskeys({
      ...deps,
      relyingParty,
      isRequired: passkeyPolicy.isRequired,
      keepingSecond: proofs.requirements.keepingSecond,
      hasOtherWay: waysBesidePasskeys.ask,
      onAdded: (transaction, passkey) => notices.passkey(transaction, 'passkey-added', passkey),
      async onRemoved(transaction, passkey, kept) {
        await news.passkeyRemoved.tell(transaction, passkey, kept);
        await notices.passkey(transaction, 'passkey-removed', passkey);
      },
    }),
    pictures: createPictures(below),
    groups: createGroups({ ...deps, directory }),
    grants: createGrants(deps),
    assignments: createAssignments(below),
    userScopes: createUserScopes(below),
    roles: createRoles(below),
    implied: createImpliedRoles(below),
    domains,
    projects: createProjects({ ...below, domains }),
    tags: createTags(below),
    domainConfig: createDomainConfig(deps),
    effectiveSettings: createEffectiveSettings(deps),
  };
}

export type Directory = ReturnType<typeof buildDirectory>;
