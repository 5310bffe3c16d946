// The domain of people and groups: as the source says, or the one that was chosen for the import.
import { fail } from '../../../ground/faults.ts';
import type { ReadPlace, Reference } from '../kind.ts';

interface InDomain {
  readonly domain?: string | undefined;
}

export const needsDomain = ({ domain }: InDomain): readonly Reference[] =>
  domain === undefined ? [] : [{ kind: 'domain', key: domain }];

export const domainOf = ({ idOfNeeded, domainId }: ReadPlace, { domain }: InDomain): string =>
  domain === undefined
    ? (domainId ?? fail('request.bad_value', { field: 'domain', why: 'it is in no domain' }))
    : idOfNeeded('domain', domain);
