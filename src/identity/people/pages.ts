// Addresses of the pages that links in mails open. The OpenID provider serves them.

export const NEW_PASSWORD_PAGE = '/openid/new-password';
export const FORGOTTEN_PASSWORD_PAGE = '/openid/forgotten-password';

/** The token is in the query. Proxies may log it; it works once, and nobody but the reader of the mail sees it before. */
export const linkTo = (issuer: string, page: string, token: string): string => `${issuer}${page}?token=${token}`;
