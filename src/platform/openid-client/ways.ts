// What a client of OpenID providers may choose. Each way is an object in a table; nothing else asks which one it is.

/** How the answer of the provider comes back: in the address, or as a form that the browser posts (OAuth 2.0 Form Post Response Mode). */
export const RESPONSE_MODES = {
  query: {},
  form_post: { response_mode: 'form_post' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type ResponseMode = keyof typeof RESPONSE_MODES;
