// /v3/ec2tokens and /v3/s3tokens
import { Answer } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { TokenReply, type TokenText } from '../tokens/index.ts';
import type { SignatureExchange } from './ec2.rules.ts';
import { ExchangeEc2Signature, ExchangeS3Signature } from './ec2.schema.ts';

const tag = 'EC2';

export function mountSignatureExchange(
  app: IdentityApp,
  { signatureExchange, tokenText }: { readonly signatureExchange: SignatureExchange; readonly tokenText: TokenText },
): void {
  app.post(
    '/v3/ec2tokens',
    {
      id: 'exchangeEc2Signature',
      summary: 'Exchange a request that was signed with an EC2 key for a token',
      description:
        'For services: they send what they got from a program. Versions 0, 1, 2 and 4 of the signatures of AWS. The token says who signed; it cannot be used here for anything else.',
      tag,
      rule: 'identity:ec2tokens_validate',
      onlyReads: true,
      body: ExchangeEc2Signature,
      documentation: { replyHeaders: { 'X-Subject-Token': 'The token.' } },
      reply: { 200: TokenReply },
    },
    async ({ body, address, requestId, signal }) => {
      const { text, record, authContext } = await signatureExchange.byEc2Signature(body, { address, requestId, signal });
      return new Answer({ headers: { 'X-Subject-Token': text }, ...(await tokenText(record, authContext, true)) });
    },
  );
  app.post(
    '/v3/s3tokens',
    {
      id: 'exchangeS3Signature',
      summary: 'Check a request to S3 that was signed with an EC2 key',
      description:
        'For services: they send the text that was signed, and check its time themselves. The answer describes a token, but does not contain it, as in Keystone.',
      tag,
      rule: 'identity:s3tokens_validate',
      onlyReads: true,
      body: ExchangeS3Signature,
      reply: { 200: TokenReply },
    },
    async ({ body, address, requestId, signal }) => {
      const { record, authContext } = await signatureExchange.byS3Signature(body, { address, requestId, signal });
      return new Answer(await tokenText(record, authContext, true));
    },
  );
}
