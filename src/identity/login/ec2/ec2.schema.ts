// Wire format of requests that a program signed. Services send what they got, under one of three names.
import { type Static, t } from '../../../platform/http/index.ts';

const Text = t.string({ maxLength: 8192 });
const Fields = t.record(Text);

const SignedEc2Request = t.open(
  {},
  {
    access: t.string({ maxLength: 8192, description: 'The name of the key.' }),
    signature: Text,
    verb: Text,
    host: Text,
    path: Text,
    // Such as whole templates. The limit of bodies is enough.
    params: t.record(t.string(), { description: 'The parameters of the query, without the signature.' }),
    headers: Fields,
    body_hash: t.string({ maxLength: 8192, description: 'SHA-256 of the body, for version 4.' }),
  },
);
const SignedS3Request = t.open(
  {},
  {
    access: t.string({ maxLength: 8192, description: 'The name of the key.' }),
    signature: Text,
    token: t.string({ maxLength: 65_536, description: 'The text that was signed, in base64.' }),
  },
);

export const ExchangeEc2Signature = t.open(
  {},
  { credentials: SignedEc2Request, credential: SignedEc2Request, ec2Credentials: SignedEc2Request },
);
export const ExchangeS3Signature = t.open(
  {},
  { credentials: SignedS3Request, credential: SignedS3Request, ec2Credentials: SignedS3Request },
);

export type Ec2Request = Static<typeof SignedEc2Request>;
export type S3Request = Static<typeof SignedS3Request>;

t.name({ SignedEc2Request, SignedS3Request, ExchangeEc2Signature, ExchangeS3Signature });
