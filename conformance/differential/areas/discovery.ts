// Version documents, JSON Home, and what is not there.
import { type Area, as, del, get, head, patch, post, preflight, put } from '../request.ts';

const HOME = { accept: 'application/json-home' };

export const discovery: Area = {
  title: 'discovery',
  requests: [
    ...as(
      'nobody',
      get('/'),
      head('/'),
      get('/v3'),
      get('/v3/'),
      head('/v3'),
      get('/', { headers: HOME }),
      get('/v3', { headers: HOME }),
      get('/v3', { headers: { accept: 'application/json-home;q=0.5, application/json' } }),
      get('/v3', { headers: { accept: 'application/json;q=0.5, application/json-home' } }),
      get('/v3', { headers: { accept: 'text/html' } }),
      get('/v3', { headers: { accept: '*/*' } }),
      get('/v2.0'),
      get('/v4'),
      get('/v3/no-such-thing'),
      get('/no-such-thing'),
      post('/v3', {}),
      post('/', {}),
      put('/v3', {}),
      del('/v3'),
      patch('/v3', {}),
      preflight('/'),
      preflight('/v3'),
      preflight('/v3/users'),
      preflight('/v3/no-such-thing'),
      get('/v3/users'),
      get('/v3//users'),
      post('/v3/no-such-thing', {}),
    ),
    get('/v3/no-such-thing'),
    get('/v3/users/{project-member}/no-such-thing'),
    put('/v3/users', {}),
    patch('/v3/users', {}),
    del('/v3/auth/projects'),
    get('/v3/users', { headers: { accept: 'text/html' } }),
    get('/v3/users', { headers: { accept: 'application/xml' } }),
    get('/v3/users/', { headers: { 'accept-language': 'de' } }),
  ],
};
