// Where the service registered itself at a provider. It takes that back when the provider is deleted here or gets another client (RFC 7592), as far as
// the provider answers.
import { seconds } from '../../../platform/clock.ts';
import { type RegistrationHandle, removeClient } from '../../../platform/openid-client/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProviderRegistrationRow } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { deleteRegistration, findRegistration, replaceRegistration } from './provider-registrations.store.ts';

const sealContext = (providerId: string): string => `provider_registrations/${providerId}`;

export interface RegistrationDeps extends Pick<Deps, 'db' | 'clock' | 'log'> {
  readonly seal: Seal;
  readonly outbound: Outbound;
}

export function createProviderRegistrations({ db, clock, log, seal, outbound }: RegistrationDeps) {
  const handleIn = ({ provider_id: id, sealed }: ProviderRegistrationRow): RegistrationHandle | undefined =>
    (JSON.parse(seal.open(sealed, sealContext(id)).toString()) as { readonly handle?: RegistrationHandle }).handle;

  return {
    /** What the provider agreed to, for the client. */
    async metadataOf(providerId: string): Promise<Readonly<Record<string, string>>> {
      return JSON.parse((await findRegistration(db.read, providerId))?.metadata ?? '{}') as Record<string, string>;
    },

    find: (providerId: string): Promise<ProviderRegistrationRow | undefined> => findRegistration(db.read, providerId),

    /** By what it is removed at the provider, if it can be. */
    async handleOf(providerId: string): Promise<RegistrationHandle | undefined> {
      const row = await findRegistration(db.read, providerId);
      return row && handleIn(row);
    },

    /** In the transaction that stores the client. */
    store: (
      { tx }: Change,
      providerId: string,
      made: {
        readonly handle: RegistrationHandle | undefined;
        readonly metadata: object;
        readonly secretExpiresAt: number | undefined;
      },
    ): Promise<void> =>
      replaceRegistration(tx, {
        provider_id: providerId,
        sealed: seal.seal(Buffer.from(JSON.stringify({ handle: made.handle })), sealContext(providerId)),
        metadata: JSON.stringify(made.metadata),
        registered_at: seconds(clock),
        secret_expires_at: made.secretExpiresAt ?? null,
      }),

    /** In the transaction after which it is another client. */
    forget: ({ tx }: Change, providerId: string): Promise<void> => deleteRegistration(tx, providerId),

    /** After that, at the provider. One that does not answer keeps a client that nobody uses. */
    async remove(providerId: string, handle: RegistrationHandle | undefined): Promise<void> {
      if (handle && !(await removeClient(handle, outbound)))
        log.warn({ provider: providerId }, 'the registration of the service at a provider could not be removed there');
    },
  };
}

export type ProviderRegistrations = ReturnType<typeof createProviderRegistrations>;
