// Texts of path parameters. Others are ids whose name says of what: `user_id`.

export const PARAMETERS = {
  id: 'The id of the resource.',
  access_token_id: 'The access token.',
  activation_key: 'The activation key that the registration answered with, or a newer one.',
  offer_id: 'The id of the offer, which only those know who have scanned it.',
  did: 'The DID of the issuer of credentials: that of this service.',
  idp_id: 'The id of the identity provider.',
  implied_role_id: 'The id of the role that is implied.',
  kind: 'The kind of key: `token`, `openid`, `issuer` or `master`.',
  list_id: 'The id of the list.',
  organization_id: 'The id of the organization. It is the id of a project.',
  application_id: 'The id of the application. It is the id of a consumer.',
  prior_role_id: 'The id of the role that implies the other.',
  protocol_id: 'The name of the protocol, such as `openid`.',
  sp_id: 'The id of the service provider.',
  tag: 'The tag.',
  token: 'The access token.',
  token_id: 'The reset token.',
  type_id: 'The id of the credential type.',
} as const;
