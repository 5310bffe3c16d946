// EC2 credentials, tokens by signature, and OAuth1.
import { type Area, as, become, del, get, head, patch, post, put } from '../request.ts';
import { tour } from '../tour.ts';

const own = '/v3/users/{project-member}';
const ec2 = `${own}/credentials/OS-EC2`;

export const ec2Credentials: Area = {
  title: 'EC2',
  requests: [
    become('project-member', '{project-member}', { project: { id: '{web}' } }),
    ...as(
      'project-member',
      get(ec2),
      post(ec2, {}),
      post(ec2, { tenant_id: 'no-such' }),
      post(ec2, { tenant_id: 7 }),
      post(ec2, { tenant_id: '{lonely}' }),
      post(ec2, { tenant_id: '{web}' }, { keep: { access: 'credential.access' } }),
      get(ec2),
      head(ec2),
      get(`${ec2}/{access}`),
      head(`${ec2}/{access}`),
      get(`${ec2}/no-such`),
      put(ec2, {}),
      patch(`${ec2}/{access}`, {}),
      get('/v3/credentials?type=ec2'),
    ),
    ...['admin', 'project-reader', 'system-reader', 'unscoped', 'nobody'].flatMap((persona) =>
      as(persona, get(ec2), get(`${ec2}/{access}`), post(ec2, { tenant_id: '{web}' })),
    ),
    ...['/v3/ec2tokens', '/v3/s3tokens'].flatMap((path) => [
      ...['nobody', 'admin'].flatMap((persona) =>
        as(
          persona,
          post(path, {}),
          post(path, { credentials: {} }),
          post(path, { credentials: { access: '{access}' } }),
          post(path, { credentials: { access: 'no-such', signature: 'x' } }),
          post(path, {
            credentials: {
              access: '{access}',
              signature: 'wrong',
              token: 'dGV4dA==',
              host: 'x',
              verb: 'GET',
              path: '/',
              params: {},
            },
          }),
          post(path, { credentials: 'text' }),
          post(path, undefined),
        ),
      ),
      get(path),
      head(path),
    ]),
    ...as('project-reader', del(`${ec2}/{access}`)),
    ...as('project-member', del(`${ec2}/no-such`), del(`${ec2}/{access}`), del(`${ec2}/{access}`), get(`${ec2}/{access}`)),
    get('/v3/users/no-such/credentials/OS-EC2'),
    post('/v3/OS-OAUTH2/token', undefined, {
      as: 'nobody',
      raw: 'grant_type=client_credentials',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    post('/v3/OS-OAUTH2/token', undefined, {
      as: 'nobody',
      raw: 'grant_type=other',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic bm86c3VjaA==' },
    }),
    post('/v3/OS-OAUTH2/token', undefined, {
      as: 'nobody',
      raw: 'grant_type=client_credentials',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic bm86c3VjaA==' },
    }),
    post('/v3/OS-OAUTH2/token', undefined, { as: 'nobody' }),
  ],
};

const oauth = '/v3/OS-OAUTH1';
const signed =
  'OAuth oauth_consumer_key="no-such", oauth_nonce="n", oauth_timestamp="1", oauth_signature_method="HMAC-SHA1", oauth_signature="x", oauth_version="1.0"';
const tokensOf = '/v3/users/{project-member}/OS-OAUTH1/access_tokens';

export const oauth1: Area = {
  title: 'OAuth1',
  requests: [
    ...tour({
      path: `${oauth}/consumers`,
      one: 'consumer',
      name: 'toured consumer',
      good: { description: 'a consumer' },
      again: true,
      bad: [{ description: 7 }, { secret: 'mine' }, { description: null }, { anything: 'else' }],
      change: { description: 'changed' },
      badChanges: [{ description: 7 }, { secret: 'mine' }, { anything: 'else' }],
    }),
    ...['request_token', 'access_token'].flatMap((name) => [
      post(`${oauth}/${name}`, undefined, { as: 'nobody' }),
      post(`${oauth}/${name}`, undefined, { as: 'nobody', headers: { authorization: 'Basic x' } }),
      post(`${oauth}/${name}`, undefined, { as: 'nobody', headers: { authorization: signed } }),
      post(`${oauth}/${name}`, undefined, { as: 'nobody', headers: { authorization: signed, 'requested-project-id': '{web}' } }),
      get(`${oauth}/${name}`),
    ]),
    put(`${oauth}/authorize/no-such`, { roles: [{ id: '{role member}' }] }),
    put(`${oauth}/authorize/no-such`, {}),
    put(`${oauth}/authorize/no-such`, { roles: 'text' }),
    put(`${oauth}/authorize/no-such`, { roles: [] }, { as: 'nobody' }),
    ...['admin', 'project-member', 'project-reader', 'nobody'].flatMap((persona) =>
      as(
        persona,
        get(tokensOf),
        get(`${tokensOf}/no-such`),
        get(`${tokensOf}/no-such/roles`),
        get(`${tokensOf}/no-such/roles/{role member}`),
        del(`${tokensOf}/no-such`),
      ),
    ),
    get('/v3/users/no-such/OS-OAUTH1/access_tokens'),
  ],
};
