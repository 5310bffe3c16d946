// Answers that the tour of the identity service does not get.

export const GONE = {
  error: {
    code: 410,
    title: 'Gone',
    message: 'This API is no longer available due to the removal of support for PKI tokens.',
  },
};

/** Answered only when rules ask for several methods (multi_factor_auth_rules). */
export const RECEIPT = {
  error: {
    code: 401,
    title: 'Unauthorized',
    message: 'Additional authentications steps required.',
    identity: { methods: ['password', 'totp'] },
  },
  receipt: {
    methods: ['password'],
    user: { id: '1f42b0c1d3e94f0a8f6e2d7c5b4a3921', name: 'ada', domain: { id: 'default', name: 'Default' } },
    expires_at: '2026-11-17T09:05:00.000000Z',
    issued_at: '2026-11-17T09:00:00.000000Z',
  },
  required_auth_methods: [['password', 'totp']],
};
