// Addresses of the pages for people who are not signed in. The OpenID provider serves them.

export const FORGOTTEN_PASSWORD_PAGE = '/openid/forgotten-password';
export const NEW_PASSWORD_PAGE = '/openid/new-password';
export const REGISTER_PAGE = '/openid/register';
export const CONFIRM_EMAIL_PAGE = '/openid/confirm-email';
export const NEW_EMAIL_PAGE = '/openid/new-email';

/** The token is in the query. Proxies may log it; it works once, and nobody but the reader of the mail sees it before. */
export const linkTo = (issuer: string, page: string, token: string): string => `${issuer}${page}?token=${token}`;
