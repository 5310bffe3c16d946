// Tokens for requests that programs signed with EC2 keys.
// Services ask who signed a request: /v3/ec2tokens, /v3/s3tokens. signatures.ts and s3-signatures.ts compute signatures.
export { mountSignatureExchange } from './ec2.routes.ts';
export { createSignatureExchange, type SignatureExchange } from './ec2.rules.ts';
