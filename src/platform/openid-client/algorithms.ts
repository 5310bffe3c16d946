// What providers may sign with.

/** No symmetric algorithms, and not `none`. */
export const PROVIDER_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'] as const;
export type ProviderAlgorithm = (typeof PROVIDER_ALGORITHMS)[number];
