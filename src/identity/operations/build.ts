// What administrators see and do, and what people can see about themselves.
import type { RoleCredentialsRoom } from '../role-credentials/build.ts';
import { refuseOfferLink } from '../role-credentials/issuing/index.ts';
import { createAccessQuestions } from './access-questions/index.ts';
import { createAdministration } from './administration/index.ts';
import { createAuditEvents } from './audit-events/index.ts';
import { createReseal } from './jobs/index.ts';
import { createDomainLookManagement, createLookManagement } from './look/index.ts';
import { createMailTextManagement } from './mail-texts/index.ts';
import { createPersonalData } from './personal-data/index.ts';
import { createReplicas } from './replicas/index.ts';
import { createSettingManagement } from './service-settings/index.ts';
import { createNextSteps, createSignInPreview } from './sign-in-preview/index.ts';

export function buildOperations(below: RoleCredentialsRoom) {
  const { db, change, seal, records, directories, issuerIdentity, appAssignments } = below;
  const reseal = createReseal(db, change, seal);
  const stepsAfter = createNextSteps(below);
  const replicas = createReplicas(below);
  return {
    ...below,
    ...stepsAfter,
    signInPreview: createSignInPreview({ ...below, ...stepsAfter }),
    reseal,
    auditEvents: createAuditEvents(below),
    accessQuestions: createAccessQuestions({ ...below, sees: appAssignments.sees }),
    personalData: createPersonalData({ ...below, sessions: records }),
    settingManagement: createSettingManagement({
      ...below,
      checks: [
        ({ passkeyPolicy: next }, reader) => below.passkeyPolicy.refuseImpossible(below.issuer(), next, reader),
        (next, reader) => below.walletSignIn.refuseImpossible(next, reader),
        async (next) => refuseOfferLink(next),
      ],
    }),
    mailTextManagement: createMailTextManagement(below),
    lookManagement: createLookManagement(below),
    replicas,
    domainLookManagement: createDomainLookManagement(below),
    administration: createAdministration({
      ...below,
      directories,
      replicas,
      lastReadings: directories.lastReadings,
      issuerKeys: issuerIdentity.keys,
      reseal,
    }),
  };
}

export type Operations = ReturnType<typeof buildOperations>;
