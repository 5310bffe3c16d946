// Methods and paths of Keystone that are not served, with the reason. What is neither served nor here is still to be done.
export const NOT_SERVED: readonly (readonly [RegExp, string])[] = [
  [/saml2/, 'SAML'],
  [/ \/v3\/auth\/tokens\/OS-PKI\/revoked$/, 'a list for PKI tokens, which Keystone refuses, too (410 or 403)'],
  [
    /^(GET|HEAD) \/v3\/(OS-OAUTH1\/(access|request)_token|ec2tokens|s3tokens|users\/\{user_id\}\/password)$/,
    '405, as in Keystone',
  ],
  [/^(?!POST)\w+ \/v3\/OS-OAUTH2\/token$/, '405, as in Keystone'],
];
