// Parameters of authorization requests for people who are not signed in here: the identity provider at which they sign in (without it, they
// choose), and the domain that they are of.
export const IDP_HINT = 'idp_hint';

/** Whatever is not the id of a provider is ignored. */
export const hintIn = (params: Readonly<Record<string, unknown>>): string | undefined => {
  const hint = params[IDP_HINT];
  return typeof hint === 'string' && /^[\w.~-]{1,64}$/.test(hint) ? hint : undefined;
};

/** Microsoft's name for it. The sign-in page has the look of the domain, and its name in the field. */
export const DOMAIN_HINT = 'domain_hint';
const MAX_DOMAIN = 64;

/** The name that was given, which may be that of no domain. */
export const domainHintIn = (params: Readonly<Record<string, unknown>>): string => {
  const hint = params[DOMAIN_HINT];
  return typeof hint === 'string' && hint.length <= MAX_DOMAIN && !hint.includes('\0') ? hint : '';
};
