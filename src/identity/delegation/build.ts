// Who acts for whom.
import type { Catalog } from '../catalog/build.ts';
import {
  applicationCredentialDelegation,
  createApplicationCredentials,
  endApplicationCredentials,
} from './application-credentials/index.ts';
import { createCredentials, createEc2Credentials, createImportedCredentials, ec2Delegation } from './credentials/index.ts';
import { createDelegatedAccess, createManagedDelegatedAccess } from './delegated-access/index.ts';
import { createOAuth1, endOAuth1AccessTokens, endOAuth1Authorizations, oauth1Delegation } from './oauth1/index.ts';
import { createTrusts, trustDelegation } from './trusts/index.ts';

export function buildDelegation(below: Catalog) {
  const { news, delegations } = below;
  delegations.application_credential = applicationCredentialDelegation;
  delegations.trust = trustDelegation;
  delegations.ec2 = ec2Delegation;
  delegations.oauth1 = oauth1Delegation;
  news.accessRevoked.listen(endOAuth1Authorizations);
  news.disabled.listen(endApplicationCredentials, endOAuth1AccessTokens);
  const credentials = createCredentials(below);
  const applicationCredentials = createApplicationCredentials(below);
  const trusts = createTrusts(below);
  const oauth1 = createOAuth1(below);
  const delegatedAccess = createDelegatedAccess({ ...below, applicationCredentials, trusts, oauth1, credentials });
  return {
    ...below,
    credentials,
    importedCredentials: createImportedCredentials(below),
    ec2Credentials: createEc2Credentials({ ...below, credentials }),
    applicationCredentials,
    trusts,
    oauth1,
    oauth1Consumers: oauth1.consumers,
    oauth1Tokens: oauth1.tokens,
    oauth1AccessTokens: oauth1.accessTokens,
    delegatedAccess,
    managedDelegatedAccess: createManagedDelegatedAccess({ ...below, delegatedAccess }),
  };
}

export type Delegation = ReturnType<typeof buildDelegation>;
