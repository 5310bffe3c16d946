// Applications that register themselves: all that others ask of this module.
import type { Log } from '../../../platform/log/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import type { ClientRegistrationDeps, Stranger } from './deps.ts';
import { createDocumentIds } from './document-id.ts';
import { createDocuments } from './documents.rules.ts';
import { createFetchedDocuments, type DocumentFetches } from './fetched-documents.ts';
import { anywhere, isLive } from './live.ts';
import { changeItself, removeItself, showItself } from './manage.rules.ts';
import type { Metadata } from './metadata.ts';
import { ALLOWS } from './policy.ts';
import { checkName, register } from './register.rules.ts';
import { createRegistered } from './registered.rules.ts';
import { createUses, type SignInRequest, signInRefusal } from './sign-in.rules.ts';
import { createRegistrationTokens } from './tokens.rules.ts';

interface Deps extends ClientRegistrationDeps {
  readonly log: Log;
  readonly outbound: Outbound;
  readonly outboundAllow: readonly string[];
  readonly fetches: DocumentFetches;
}

export function createClientRegistration(deps: Deps) {
  const tokens = createRegistrationTokens(deps);
  const registered = createRegistered(deps);
  const fetched = createFetchedDocuments({ ...deps, checkName: (body) => checkName(deps, body) });
  const isDocumentId = createDocumentIds(deps.outboundAllow);
  return {
    /** Those whose client id is the address of a document. */
    documents: createDocuments({ ...deps, fetched, isDocumentId }),
    tokens,
    registered,
    register: (stranger: Stranger, metadata: Metadata, domainId: string | undefined) =>
      register(deps, stranger, metadata, domainId),
    show: (stranger: Stranger, id: string) => showItself(deps, stranger, id),
    change: (stranger: Stranger, id: string, metadata: Metadata) => changeItself(deps, stranger, id, metadata),
    remove: (stranger: Stranger, id: string) => removeItself(deps, stranger, id),
    /** Whether there is a domain in which applications can register themselves. */
    isOn: (): Promise<boolean> => anywhere(deps, ALLOWS.token),
    /** False for one that has expired, or whose policy does not let it in any more. */
    isLive: (row: ConsumerRow) => isLive(deps, row),
    refusal: (row: Parameters<typeof signInRefusal>[1], userId: string, request: SignInRequest) =>
      signInRefusal(deps, row, userId, request),
    noteUse: createUses(deps),
    sweep: async (): Promise<number> => (await tokens.sweep()) + (await registered.sweep()),
  };
}

export type ClientRegistration = ReturnType<typeof createClientRegistration>;
