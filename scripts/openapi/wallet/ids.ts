// Ids of operations where method and path make a bad one. They are names of functions in generated clients: never change one.

export const IDS: Readonly<Record<string, string>> = {
  'GET /openapi.json': 'getApiDocument',
  'GET /openapi': 'showApiDocument',
  'GET /': 'getAddresses',
  'GET /.well-known/did.json': 'getNodeDidDocument',
  'GET /dids/:name/did.json': 'getDidDocument',
  'GET /api/v1/auth/login': 'startLogin',
  'GET /api/v1/auth/callback': 'finishLogin',
  'GET /api/v1/auth/logout': 'logOut',
  'POST /api/v1/auth/logout': 'logOutByPost',
  'GET /api/v1/auth/userinfo': 'getUserInfo',
  'POST /api/v1/auth/backchannel-logout': 'endSessionsByProvider',
  'POST /api/v1/wallet/oid4vci': 'receiveCredentials',
  'GET /api/v1/wallet/oid4vci/callback': 'finishAuthorization',
  'POST /api/v1/wallet/oid4vp': 'presentCredentials',
};
