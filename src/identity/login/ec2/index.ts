// Tokens for requests that programs signed with EC2 keys.
export { mountSignatureExchange } from './ec2.routes.ts';
export { createSignatureExchange, type SignatureExchange } from './ec2.rules.ts';
