// Signatures of requests to S3. Services send the text that was signed, so they have to check what it says: the time above all, since an
// address that was signed for others (a presigned URL) may be valid for days.
import { createHmac } from 'node:crypto';
import { isSame, signingKey4 } from './signatures.ts';

const ALGORITHM_4 = 'AWS4-HMAC-SHA256';
/** Keystone's list: a signature for another service is no proof here. */
const SERVICES = ['s3', 'iam', 'sts'];

function signature4(signed: Buffer, secret: string): string | undefined {
  const lines = signed.toString('latin1').split('\n');
  const scope = (lines[2] ?? '').split('/');
  const [day, region, service, last] = scope;
  if (lines.length !== 4 || lines[0] !== ALGORITHM_4 || scope.length !== 4 || last !== 'aws4_request') return undefined;
  if (!SERVICES.includes(service!)) return undefined;
  return createHmac('sha256', signingKey4(secret, day!, region!, service!))
    .update(signed)
    .digest('hex');
}

/** `text`: what was signed, in base64. */
export function isS3Signature(text: string, signature: string, secret: string): boolean {
  const signed = Buffer.from(text, 'base64');
  const expected = signed.subarray(0, 4).equals(Buffer.from('AWS4'))
    ? signature4(signed, secret)
    : createHmac('sha1', secret).update(signed).digest('base64');
  return expected !== undefined && isSame(expected, signature);
}
