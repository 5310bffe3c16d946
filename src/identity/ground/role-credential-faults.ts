// The errors of issuing roles as credentials (OID4VCI). Part of the table in faults.ts.
export const roleCredentialFaults = {
  'role_credential.invalid_token': {
    status: 401,
    text: 'The access token is missing, has expired or was revoked, or is not for credentials.',
  },
  'role_credential.invalid_dpop_proof': { status: 401, text: 'The DPoP proof is refused: {why}.' },
  'role_credential.invalid_request': { status: 400, text: 'The credential request is malformed: {why}.' },
  'role_credential.unknown_configuration': { status: 400, text: 'There is no such credential configuration.' },
  'role_credential.unknown_identifier': { status: 400, text: 'The access token does not contain this credential identifier.' },
  'role_credential.invalid_proof': { status: 400, text: 'A key proof is refused: {why}.' },
  'role_credential.invalid_nonce': { status: 400, text: 'The nonce of a key proof is not known, was used, or is too old.' },
  'role_credential.invalid_encryption': { status: 400, text: 'The encryption is refused: {why}.' },
  'role_credential.denied': { status: 400, text: 'The credential is not issued: {why}.' },
  'role_credential.invalid_notification': { status: 400, text: 'The notification is malformed: {why}.' },
  'role_credential.unknown_notification': { status: 400, text: 'There is no such notification id.' },
  'role_credential.offer_in_person': {
    status: 403,
    text: 'Only the recipients themselves can create an offer that needs no further sign-in. Use the grant authorization_code.',
  },
  'role_credential.not_available': { status: 403, text: 'The person cannot receive this credential now: {id}.' },
  'role_credential.too_many_offers': { status: 403, text: 'There are {most} open offers already. Use one of them, or wait.' },
} as const;
