export const frame = {
  welcome: 'Receive credentials from issuers, and show them to verifiers: only what you agree to.',
  longLink: 'The link you opened is too long to keep while you sign in. Sign in, then open it again.',
};
