// A parameter of authorization requests: the identity provider at which somebody signs in who is not signed in here. Without it, they choose.
export const IDP_HINT = 'idp_hint';

/** Whatever is not the id of a provider is ignored. */
export const hintIn = (params: Readonly<Record<string, unknown>>): string | undefined => {
  const hint = params[IDP_HINT];
  return typeof hint === 'string' && /^[\w.~-]{1,64}$/.test(hint) ? hint : undefined;
};
