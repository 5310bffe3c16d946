// Credentials that users store here, such as TOTP keys, and EC2 keys.
// content.ts is what the blob of each type has to be.
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials, endKeys } from './credentials.rules.ts';
export { ec2Delegation } from './delegation.ts';
export { mountEc2Credentials } from './ec2-credentials.routes.ts';
export { createEc2Credentials, type Ec2Credentials, type Ec2Key } from './ec2-credentials.rules.ts';
export { createImportedCredentials, type ImportedCredentials } from './imported.rules.ts';
