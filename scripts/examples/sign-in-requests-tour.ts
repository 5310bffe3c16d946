import type { Recorder } from './recorder.ts';

/** An application asks somebody to sign in who is somewhere else. */
export async function tourSignInRequest(api: Recorder): Promise<void> {
  const { consumer } = await api.call('POST', '/v3/OS-OAUTH2/consumers', {
    body: { consumer: { name: 'Counter', allowed_grant_types: ['urn:openid:params:grant-type:ciba'] } },
    unrecorded: true,
  });
  const headers = { Authorization: `Basic ${Buffer.from(`${consumer.id}:${consumer.secret}`).toString('base64')}` };
  const form = { scope: 'openid profile', login_hint: 'ada', binding_message: 'Counter 7, W4SCT' };
  await api.call('POST', '/openid/backchannel', { form, headers });
}
