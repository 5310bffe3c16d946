export const frame = {
  welcome: 'Your credentials: received from those who issue them, and shown to those who ask, only as far as you agree.',
  longLink: 'The link you opened is too long to keep while you sign in. Sign in, then open it again.',
};
