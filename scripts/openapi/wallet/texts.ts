// Groups of operations, path parameters, and who passes a rule.

export const TAGS = {
  Authentication: 'Log in through the identity provider, see who is logged in, and log out.',
  Keys: 'Keys of the wallet. Private keys never leave it; they are in software or in a token (PKCS #11).',
  DIDs: 'Decentralized identifiers: did:web, which this node publishes, did:key and did:jwk.',
  Credentials: 'The credentials in the wallet. They are added by issuance and shown by presentation.',
  Issuance: 'Receive credentials from an issuer (OpenID4VCI).',
  Presentation: 'Show credentials to a verifier (OpenID4VP).',
  Exchanges: 'Each issuance and each presentation, with what happened in it.',
  Node: 'The node itself: its own keys and DIDs, for its administrators.',
  Documents: 'Published DID documents, and the addresses of the service.',
  Probes: 'For load balancers and supervisors.',
} as const;

export const PARAMETERS = {
  id: 'The id, such as `key_01KA2Z9Q1V8YB3T5M7N9P1R3S5`. For a DID also the DID itself.',
  name: 'The name of a hosted DID document: the last part of its did:web.',
} as const;

const WHO: Readonly<Record<string, string>> = {
  signed_in: 'everybody who is logged in, for their own wallet.',
  owner: 'the owner. For everybody else it does not exist.',
  owner_or_administrator:
    'the owner, and for keys and DIDs of the node its administrators. For everybody else it does not exist.',
  administrator: 'administrators of the node.',
};

export const whoMay = (rule: string): string => `Who may call it: ${WHO[rule] ?? `whoever passes the rule \`${rule}\`.`}`;
