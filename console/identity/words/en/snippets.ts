/** Also the comments within programs. */
export const snippets = {
  discovery: 'Everything about the provider',
  node: 'Sign in, with Node.js and openid-client',
  device: 'Sign in on a device',
  service: 'A token for the application itself',
  proxy: 'Questions of a proxy',
  insecure: 'For trying out on one machine only: this address is not encrypted. With an https address, leave this out.',
  nodeRun: 'Save this as sign-in.mjs. Then:',
  nodeCookie: 'The answer is accepted only in the browser that asked.',
  nodePerson: 'Here your session begins. A code works once: whoever loads this page again has to sign in again.',
  nodeOpen: (address: string) => `Open ${address}`,
  deviceBegin: 'Begin. Show the person the user_code and the verification_uri of the answer.',
  devicePoll:
    'Every 5 seconds, until the person has allowed it: ask for the tokens. $DEVICE_CODE is the device_code of the answer.',
  proxyToken: 'Who is this access token, and is it valid?',
  proxyPermissions:
    'What may this person do in the application? ($TOKEN: a token of the proxy\'s own account, with the role "service")',
};
