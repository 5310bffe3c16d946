// Parameters by which applications authenticate with a key, for the API document.
import { t } from '../../../platform/http/index.ts';

export const ASSERTION_PARAMETERS = {
  client_assertion: t.string({
    description: 'Instead of a secret: a JWT that the application has signed (`private_key_jwt`, RFC 7523). Good once.',
  }),
  client_assertion_type: t.string({
    description: 'With client_assertion: urn:ietf:params:oauth:client-assertion-type:jwt-bearer.',
  }),
};
