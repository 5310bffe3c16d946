// The sections of the account pages, in the order in which a page shows them. To add one: write its file with its own dependencies, and
// list it here.
import { type AccessDeps, createAccessNotice, createAccessSection } from './access.section.ts';
import { type ActivityDeps, createActivitySection } from './activity.section.ts';
import { type ApplicationsDeps, createApplicationsSection } from './applications.section.ts';
import { createDataSection, type DataDeps } from './data.section.ts';
import { createDeletionSection, type DeletionDeps } from './deletion.section.ts';
import { createDevicesSection, type DevicesDeps } from './devices.section.ts';
import { createEmailSection, type EmailDeps } from './email.section.ts';
import { createOtherProvidersSection, type OtherProvidersDeps } from './other-providers.section.ts';
import { createOverviewSections, type OverviewDeps } from './overview.section.ts';
import { createPasskeysSection, type PasskeysDeps } from './passkeys.section.ts';
import { createPasswordSection, type PasswordDeps } from './password.section.ts';
import { createProfileSections, type ProfileDeps } from './profile.section.ts';
import { createRoleCredentialsSection, type RoleCredentialDeps } from './role-credentials.section.ts';
import type { AccountSection } from './section.ts';
import { createSessionsSection, type SessionsDeps } from './sessions.section.ts';
import { createRequestsSection, createWhoMayAskSection, type SignInRequestsDeps } from './sign-in-requests.section.ts';
import { createTwoFactorSection, type TwoFactorDeps } from './two-factor.section.ts';

export interface AccountSectionDeps
  extends OverviewDeps,
    ProfileDeps,
    PasswordDeps,
    EmailDeps,
    PasskeysDeps,
    OtherProvidersDeps,
    TwoFactorDeps,
    SessionsDeps,
    DevicesDeps,
    ApplicationsDeps,
    SignInRequestsDeps,
    RoleCredentialDeps,
    AccessDeps,
    ActivityDeps,
    DataDeps,
    DeletionDeps {}

export const createAccountSections = (deps: AccountSectionDeps): readonly AccountSection[] => [
  createRequestsSection(deps),
  ...createOverviewSections(deps),
  ...createProfileSections(deps),
  createPasskeysSection(deps),
  createOtherProvidersSection(deps),
  createTwoFactorSection(deps),
  createPasswordSection(deps),
  createAccessNotice(deps),
  createEmailSection(deps),
  createSessionsSection(deps),
  createDevicesSection(deps),
  createApplicationsSection(deps),
  createWhoMayAskSection(deps),
  createRoleCredentialsSection(deps),
  createAccessSection(deps),
  createActivitySection(deps),
  createDataSection(deps),
  createDeletionSection(deps),
];
