import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { issueCredential, newMultikeySigner } from '../../../test/support/data-integrity.ts';
import { issuerWorld } from '../../../test/support/issuers.ts';
import { createStatus } from '../status/index.ts';
import { createFormats, FORMAT_NAMES, FORMATS, listVerifier } from './index.ts';

const LIST = 'https://issuer.example/list';

describe('The formats', () => {
  it('are there by their names', () => {
    const formats = createFormats(issuerWorld());
    assert.deepEqual(Object.keys(formats).sort(), [...FORMAT_NAMES].sort());
    for (const name of FORMAT_NAMES) {
      assert.equal(FORMATS[name].name, name);
      assert.equal(formats[name].verifyPresentation !== undefined, FORMATS[name].readsPresentations, name);
    }
  });

  it('load their libraries when one is met, not before', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ resolve: (name, context, next) => (seen.push(name), next(name, context)) });
      await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
      console.log(JSON.stringify(seen));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const seen: string[] = JSON.parse(stdout || '[]');
    assert.ok(
      seen.some((name) => name.endsWith('/mdoc.ts')),
      stderr,
    );
    assert.deepEqual(
      seen.filter((name) => /owf|cbor-x|jsonld|digitalbazaar|did-context|sd-jwt\/|^jose/.test(name)),
      [],
    );
  });

  it('verify status lists that are credentials with a Data Integrity proof', async () => {
    const { trust, clock, world, outbound } = issuerWorld({ now: Date.now() });
    const status = createStatus({ outbound, trust, clock, verifyList: listVerifier(createFormats({ trust, clock })) });
    const issuer = newMultikeySigner();
    const list = await issueCredential(
      issuer,
      {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        type: ['VerifiableCredential', 'BitstringStatusListCredential'],
        issuer: issuer.did,
        credentialSubject: {
          type: 'BitstringStatusList',
          statusPurpose: 'revocation',
          encodedList: `u${gzipSync(Buffer.of(0b0100_0000)).toString('base64url')}`,
        },
      },
      world.now,
    );
    const entry = { kind: 'bitstring', uri: LIST, size: 1, purpose: 'revocation' } as const;
    world.answers.set(LIST, list);
    assert.equal(await status.of({ ...entry, index: 0 }), 'valid');
    assert.equal(await status.of({ ...entry, index: 1 }), 'revoked');
    world.answers.set(LIST, { ...list, issuer: newMultikeySigner().did });
    assert.equal(await status.of({ ...entry, index: 0 }, { fresh: true }), 'unknown');
  });
});
