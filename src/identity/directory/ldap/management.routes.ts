// /v3/OS-SERVICE/domains/{domain_id}/directory: its state, reading it now, trying it.
import { Answer } from '../../../platform/http/index.ts';
import type { IdentityApp, IdentityTarget } from '../../access/rules/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import type { DirectoryManagement, RequestOf } from './management.rules.ts';
import { DirectoryTestEnvelope, DirectoryTestResultEnvelope, DomainDirectoryEnvelope } from './management.schema.ts';

const tag = 'Domain configuration';

export interface DirectoryRoutesDeps {
  readonly directories: { readonly management: DirectoryManagement };
  readonly effectiveSettings: {
    target(id: string): Promise<IdentityTarget<ProjectRow>>;
    requestOf(...args: [...Parameters<RequestOf>, undefined]): ReturnType<RequestOf>;
  };
}

export function mountDirectories(app: IdentityApp, { directories, effectiveSettings }: DirectoryRoutesDeps): void {
  const path = '/v3/OS-SERVICE/domains/:domain_id/directory';
  const target = ({ params }: { params: { domain_id: string } }) => effectiveSettings.target(params.domain_id);

  app.get(
    path,
    {
      id: 'getDomainDirectory',
      summary: 'Show the state of the directory of a domain',
      description: 'Whether it is connected, how many people and groups are in it, and how the last reading went.',
      tag,
      rule: 'identity:get_directory',
      target,
      reply: { 200: DomainDirectoryEnvelope },
    },
    async ({ target: domain }) => ({ directory: await directories.management.show(domain) }),
  );

  app.post(
    `${path}/read`,
    {
      id: 'readDomainDirectory',
      summary: 'Read the directory of a domain now',
      description: 'Begins, and does not wait for the end, which the state shows. Needs a recent login in person.',
      tag,
      rule: 'identity:read_directory',
      target,
      reply: { 202: null },
    },
    async ({ caller, target: domain }) => {
      await directories.management.readNow(caller, domain);
      return new Answer({ status: 202 });
    },
  );

  app.post(
    `${path}/test`,
    {
      id: 'testDomainDirectory',
      summary: 'Try the directory of a domain',
      description:
        'With settings that need not be stored yet; an empty object tries those in force. Tells each step and which failed, and shows up to ten people and groups as they would appear. Nothing is stored. A stored password is sent only to the servers that it was stored for. Needs a recent login in person.',
      tag,
      rule: 'identity:test_directory',
      target,
      body: DirectoryTestEnvelope,
      reply: { 200: DirectoryTestResultEnvelope },
    },
    async ({ caller, target: domain, body }) => ({
      test: await directories.management.test(caller, domain, body.test.settings, (who, texts) =>
        effectiveSettings.requestOf(who, texts, undefined),
      ),
    }),
  );
}
