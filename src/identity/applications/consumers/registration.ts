// How an application came to be that registered itself (applications/client-registration).
import type { ConsumerRow } from '../../ground/database/index.ts';

export type RegistrationColumns = Pick<
  ConsumerRow,
  'registered_by' | 'registration_domain_id' | 'registration_token' | 'registration_access_hash' | 'registration_expires_at'
>;

export const NOT_REGISTERED: RegistrationColumns = {
  registered_by: null,
  registration_domain_id: null,
  registration_token: null,
  registration_access_hash: null,
  registration_expires_at: null,
};

/** It registered itself and nobody has kept it: nothing that it says is verified, and people are always asked. */
export const isStrangers = ({
  registered_by: by,
  registration_expires_at: expires,
}: Pick<ConsumerRow, 'registered_by' | 'registration_expires_at'>): boolean => by !== null && expires !== null;
