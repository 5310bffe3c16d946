// /v3/OS-SERVICE: the service as its administrators see it.
import { factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import { listOf, PAGE_DOCUMENTATION } from '../../ground/resource/index.ts';
import type { Administration } from './administration.rules.ts';
import {
  Backups,
  Certificates,
  DeliveryList,
  KeySetEnvelope,
  KeySets,
  Overview,
  TestMailEnvelope,
  TestMailResult,
} from './administration.schema.ts';

const tag = 'Service';

export function mountAdministration(app: IdentityApp, { administration }: { administration: Administration }): void {
  app.get(
    '/v3/OS-SERVICE/overview',
    {
      id: 'getServiceOverview',
      summary: 'Show an overview of the service',
      description: 'Counts, health and what needs attention. With a token for a domain: those of the domain.',
      tag,
      rule: 'identity:get_service_overview',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      reply: { 200: Overview },
    },
    async ({ caller }) => ({ overview: await administration.overview(caller) }),
  );

  app.get(
    '/v3/OS-SERVICE/backups',
    {
      id: 'getBackupState',
      summary: 'Show which backups there are, when one was last made and test-restored, and whether the last attempt failed',
      tag,
      rule: 'identity:list_backups',
      reply: { 200: Backups },
    },
    async () => ({ backups: await administration.backups.show() }),
  );
  app.post(
    '/v3/OS-SERVICE/backups',
    {
      id: 'makeBackup',
      summary: 'Make a backup now',
      description:
        'With SQLite, in the folder of `GATEHOUSE_BACKUP_FOLDER`; without it, in one beside the data folder, with `-backups` at the end of its name. The answer comes when it has begun; `asked` says how it went. Like those on a schedule it is restored for a try before it gets its name, and only its owner on the machine can read it. Needs a recent login in person. 409 means that one is being made, or that the data are in PostgreSQL.',
      tag,
      rule: 'identity:create_backup',
      reply: { 202: Backups },
    },
    async ({ caller }) => ({ backups: await administration.backups.make(caller) }),
  );

  app.post(
    '/v3/OS-SERVICE/mail/test',
    {
      id: 'sendTestMail',
      summary: 'Send a test mail',
      description: 'At once, with the settings of mail as they are now. Needs a recent login in person.',
      tag,
      rule: 'identity:send_test_mail',
      body: TestMailEnvelope,
      reply: { 200: TestMailResult },
    },
    async ({ caller, body }) => ({ mail: await administration.sendTestMail(caller, body.mail) }),
  );

  mountKeys(app, administration);
  mountDeliveries(app, administration);
}

function mountKeys(app: IdentityApp, administration: Administration): void {
  app.get(
    '/v3/OS-SERVICE/keys',
    {
      id: 'listServiceKeys',
      summary: 'List the keys of the service',
      description: 'Their ages and states, without the keys themselves.',
      tag,
      rule: 'identity:list_service_keys',
      reply: { 200: KeySets },
    },
    async () => ({ key_sets: await administration.keys.list() }),
  );

  app.get(
    '/v3/OS-SERVICE/certificates',
    {
      id: 'listServiceCertificates',
      summary: 'List the certificates that the service uses, with their end',
      description:
        'Its own: of its https (`tls`) of what it issues (`issuer`), and of its requests to wallets (`verifier`). And those of authorities that its settings name: for the directory of a domain, for the credentials that an identity provider takes, for wallets, and for the server of audit events. One that ends within 30 days is `expiring`. Those that end first come first; `truncated` says that there are more.',
      tag,
      rule: 'identity:list_service_keys',
      reply: { 200: Certificates },
    },
    () => administration.certificates(),
  );

  app.post(
    '/v3/OS-SERVICE/keys/:kind/rotate',
    {
      id: 'rotateServiceKeys',
      summary: 'Replace the keys of a kind',
      description:
        'For the kinds `token`, `openid` and `issuer`, new keys are announced, and used when everybody had time to learn them. What the old keys signed stays valid until it expires. For the kind `verifier`, the key of requests to wallets, the new key signs at once. For the kind `master`, the master key in the data folder, every secret is encrypted again under a new key before the answer comes. This needs a recent login in person. 409 means that a setting gives the key, or that the file in the data folder is not the key in use.',
      tag,
      rule: 'identity:rotate_service_keys',
      target: ({ params }) => administration.keys.target(params.kind),
      reply: { 200: KeySetEnvelope },
    },
    async ({ caller, target }) => ({ key_set: await administration.keys.rotate(caller, target) }),
  );
}

function mountDeliveries(app: IdentityApp, administration: Administration): void {
  const path = '/v3/OS-SERVICE/deliveries';

  app.get(
    path,
    {
      id: 'listServiceDeliveries',
      summary: 'List messages that were not sent',
      description:
        'They wait to be sent or were given up. The newest first, without their content. Administrators see to whom a mail goes; it is in no log.',
      tag,
      rule: 'identity:list_deliveries',
      documentation: {
        query: {
          ...PAGE_DOCUMENTATION.query,
          kind: 'Only web_hook or mail.',
          recipient: 'Only mails to an address with this text in it.',
          state: 'Only waiting (also those that are tried again) or failed.',
        },
      },
      reply: { 200: DeliveryList },
    },
    async (call) => listOf(call, 'deliveries', await administration.deliveries.list(call.query)),
  );

  app.post(
    `${path}/:delivery_id/retry`,
    {
      id: 'retryServiceDelivery',
      summary: 'Send a message again whose last attempt failed',
      tag,
      rule: 'identity:retry_delivery',
      target: ({ params }) => administration.deliveries.target(params.delivery_id),
      reply: { 204: null },
    },
    ({ caller, target }) => administration.deliveries.retry(caller, target),
  );

  app.delete(
    `${path}/:delivery_id`,
    {
      id: 'deleteServiceDelivery',
      summary: 'Delete a message that was not sent',
      tag,
      rule: 'identity:delete_delivery',
      target: ({ params }) => administration.deliveries.target(params.delivery_id),
      reply: { 204: null },
    },
    ({ caller, target }) => administration.deliveries.remove(caller, target),
  );
}
