// What a key may be used for: the verification relationships of DID Core, 5.3, that the wallet supports.
export const RELATIONSHIPS = ['authentication', 'assertionMethod', 'keyAgreement'] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];
