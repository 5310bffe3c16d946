import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fault } from '../../../platform/faults/index.ts';
import { identityFaults } from '../faults.ts';
import { NOUN_NAMES } from '../noun-names.ts';
import { pageErrors } from './error-page.ts';
import { refusalOf, textOfFault } from './messages.ts';
import { durationText } from './words/duration.ts';
import { LANGUAGES } from './words/index.ts';

const { en, es, de } = LANGUAGES;

/** Faults that no page can raise: they belong to the APIs. */
const OF_APIS = new RegExp(
  [
    '^(?:token|project|registration|group|role|grant|assignments|access_token|oauth|scim|mapping|protocol)\\.',
    '^(?:openid_provider|wallet_provider|service_provider|consumer|application|permission|organization|credential|registration_token|list|server|key|delivery|session|application_grant)\\.',
    '^(?:application_credential|access_rule|trust|oauth1|ec2|pki|delegated_access)\\.',
    `^(?:${Object.keys(NOUN_NAMES).join('|')})\\.`,
    '^(?:registered_limit|limit|domain_config|setting|brand_picture|domain_picture|mail_text|backup)\\.',
    '^(?:issuer|credential_type|credential_target|role_credential|issued_credential|status_list)\\.',
    '^request\\.(?:not_an_object|no_host|headers_too_large|abandoned)$',
    '^auth\\.(?:method_unsupported|two_factor_required|rescope_system|rescope_delegated|ec2_token|catalog_needs_project)$',
    '^domain\\.(?:enabled|default|name_of_file)$',
    '^invitation\\.(?:not_found|over|pending|too_many)$',
    '^identity_provider\\.(?:invalid_logout|no_metadata|not_registered)$',
    '^(?:import|provider_attempt|provider_registration)\\.',
    '^directory\\.none$',
    '^resource\\.(?:built_in|immutable|id_fixed|domain_fixed|changed)$',
    '^user\\.(?:exempt|no_password|password_never_expires)$',
  ].join('|'),
);
/** Pages say these in their own words: which of two things was wrong, or how long to wait. */
const SPECIAL = ['auth.required', 'request.too_many', 'directory.unavailable', 'identity_provider.unavailable'];

const codes = Object.keys(identityFaults) as (keyof typeof identityFaults)[];
const sample = (code: keyof typeof identityFaults): Fault => {
  const entry = identityFaults[code];
  const names = [...entry.text.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, '7'] as const);
  return new Fault(code, entry, Object.fromEntries(names));
};

describe('What pages say about faults', () => {
  it('has a text for each that people can meet', () => {
    const without = codes.filter((code) => !OF_APIS.test(code) && !SPECIAL.includes(code) && !textOfFault(en, sample(code)));
    assert.deepEqual(without, [], 'add a text to MESSAGES in messages.ts, or the code to OF_APIS above');
  });

  it('is in the language of the reader, never in that of programs', () => {
    for (const code of codes) {
      const fault = sample(code);
      if (fault.status >= 500 && fault.status !== 503) continue;
      const brand = {
        name: 'Gatehouse',
        style: '',
        scripts: { passkeys: '', passwords: '', 'signed-out': '', submit: '' },
        icon: '',
        links: {},
        language: 'en' as const,
      };
      const english = refusalOf(en, fault, '');
      for (const words of [es, de]) {
        const { message } = refusalOf(words, fault, '');
        assert.notEqual(english.message, message, code);
        assert.ok(!message.includes(fault.message), code);
      }
      const page = pageErrors({ 'accept-language': 'es' }, brand)(fault, '', 'request') as { text: string };
      assert.ok(!page.text.includes(fault.message), code);
      assert.ok(page.text.includes('<html lang="es">'));
    }
  });

  it('names the time to wait as people say it, and the answer has the true status', () => {
    const tooMany = fault('request.too_many', { seconds: 3600 }, { headers: { 'Retry-After': '3600' } });
    assert.deepEqual(refusalOf(es, tooMany, ''), {
      message: 'Demasiados intentos. Espere 1 hora y vuelva a intentarlo.',
      status: 429,
      headers: { 'Retry-After': '3600' },
    });
    assert.equal(refusalOf(es, fault('server.busy'), '').status, 503);
    assert.deepEqual(
      [0, 1, 59, 60, 61, 3599, 7201].map((seconds) => durationText('en', seconds)),
      ['1 second', '1 second', '59 seconds', '1 minute', '2 minutes', '1 hour', '3 hours'],
    );
  });

  it('is for refusals only: other errors go on', () => {
    assert.throws(() => refusalOf(en, new Error('x'), ''), /x/);
    assert.throws(() => refusalOf(en, sample('server.unexpected'), ''), { code: 'server.unexpected' });
  });
});
