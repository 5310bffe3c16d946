// How requests authenticate that have no token of the service: the `access` of their routes. Their rule is `anyone`, or they have none
// (the library's routes); the handler checks what is sent. The API document is made from this table.

/** By OAuth2: an application by its secret, a person by an access token. */
export const APPLICATION = 'application';
export const ACCESS_TOKEN = 'access token';
export const APPLICATION_CREDENTIAL = 'application credential';
/** A consumer of OAuth1. */
export const SIGNATURE = 'signature';
export const PROVIDER_TOKEN = 'token of a provider';

export interface OtherAuthentication {
  /** Security schemes of the API document. Any one of them is enough. */
  readonly schemes: readonly string[];
  readonly text: string;
}

export const OTHER_AUTHENTICATION: Readonly<Record<string, OtherAuthentication>> = {
  [APPLICATION]: { schemes: ['application'], text: 'The application authenticates by its id and secret.' },
  [ACCESS_TOKEN]: { schemes: ['accessToken', 'dpop'], text: 'An access token is needed.' },
  [APPLICATION_CREDENTIAL]: { schemes: ['applicationCredential'], text: 'An application credential is needed.' },
  [SIGNATURE]: { schemes: ['oauth1'], text: 'The request must be signed.' },
  [PROVIDER_TOKEN]: { schemes: ['providerToken'], text: 'A token of the identity provider is needed.' },
};
