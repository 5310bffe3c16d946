// Credentials in the words of their issuers: names, labels and logos of their metadata, and of those of their types.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { it } from 'node:test';
import { png } from '../../../test/support/pictures.ts';
import { paths, queryFor, setUpPresentation, VCI, VP } from '../../../test/support/presentation.ts';
import { onUsualWallet, type WalletUser } from '../../../test/support/wallet.ts';

const LOGO = `data:image/png;base64,${png(4).toString('base64')}`;

onUsualWallet('The words of an issuer', (wallet) => {
  const { issuer, verifier } = setUpPresentation(wallet);
  const asked: (string | undefined)[] = [];

  interface TypeOptions {
    readonly metadata?: (vct: string) => object | string;
    readonly payload?: (text: string) => object;
    readonly display?: object[];
    readonly status?: number;
  }

  /** Receives a credential whose type has this address, at the issuer. */
  async function receive(
    { metadata, payload, display = [], status = 200 }: TypeOptions,
    host = issuer.url,
    holder?: WalletUser,
  ): Promise<any> {
    const vct = `${host}/types/pass`;
    const described = metadata?.(vct) ?? {};
    const text = typeof described === 'string' ? described : JSON.stringify(described);
    asked.length = 0;
    issuer.twist = {
      reply: (endpoint, { body }) => {
        if (endpoint !== 'metadata') return;
        body.display = [{ name: 'The toy issuer', logo: { uri: LOGO, alt_text: 'A toy' } }];
        Object.assign(body.credential_configurations_supported.identity, { vct, credential_metadata: { display } });
      },
      raw: (_endpoint, request: IncomingMessage, response: ServerResponse) => {
        if (request.url !== '/types/pass') return false;
        asked.push(request.headers['user-agent']);
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
        return true;
      },
      credential: (draft) => void Object.assign(draft.payload, { vct }, payload?.(text)),
    };
    const answer = await (holder ?? (await wallet.logIn())).post(VCI, { uri: issuer.offer() });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.credentials[0];
  }

  const pass = (vct: string) => ({
    vct,
    name: 'pass',
    display: [
      { locale: 'en', name: 'Pass', rendering: { simple: { background_color: '#0b6e4f', logo: { uri: LOGO } } } },
      { lang: 'es', name: 'Pase' },
    ],
    claims: [
      { path: ['given_name'], display: [{ lang: 'en', label: 'First name' }] },
      { path: ['email'], mandatory: true, display: [{ locale: 'es', label: 'Correo' }] },
      { path: 'odd' },
    ],
  });

  it('are those of the type, where the issuer itself says nothing', async () => {
    const { displays, labels, issuer: by } = await receive({ metadata: pass });
    assert.deepEqual(displays, [
      { locale: 'en', name: 'Pass', backgroundColor: '#0b6e4f', logo: { uri: LOGO } },
      { locale: 'es', name: 'Pase' },
    ]);
    assert.deepEqual(labels, [
      { path: ['given_name'], names: [{ locale: 'en', name: 'First name' }] },
      { path: ['email'], names: [{ locale: 'es', name: 'Correo' }], mandatory: true },
    ]);
    assert.deepEqual(by.logo, { uri: LOGO, text: 'A toy' });
    assert.deepEqual(asked, [undefined], 'asked once, without a word about who asks');
  });

  it('are its own before those of the type', async () => {
    const { displays } = await receive({ metadata: pass, display: [{ name: 'Pass of the town', locale: 'en' }] });
    assert.deepEqual(
      displays.map(({ name }: any) => name),
      ['Pass of the town', 'Pass', 'Pase'],
    );
  });

  it('stay in the history when the credential is gone, for the claims that were shown', async () => {
    const person = await wallet.logIn();
    const { id, type } = await receive({ metadata: pass }, issuer.url, person);
    const query = { credentials: [queryFor('id', type, { claims: paths(['given_name'], ['birthdate']) })] };
    const { body } = await person.post(VP, { uri: await verifier.ask({ query }) });
    assert.equal((await person.delete(`/api/v1/wallet/credentials/${id}`)).status, 204);
    const { summary } = (await person.get(`/api/v1/wallet/exchanges/${body.exchangeId}`)).body;
    assert.deepEqual(summary.presented[0].displays, [
      { locale: 'en', name: 'Pass' },
      { locale: 'es', name: 'Pase' },
    ]);
    assert.deepEqual(summary.presented[0].labels, [{ path: ['given_name'], names: [{ locale: 'en', name: 'First name' }] }]);
  });

  it('are not read from others, who would learn that it was issued', async () => {
    await receive({ metadata: pass }, issuer.url.replace('127.0.0.1', 'localhost'));
    assert.deepEqual(asked, []);
  });

  it('are only those that it signed, if it says which', async () => {
    const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    const right = await receive({ metadata: pass, payload: (text) => ({ 'vct#integrity': digest(text) }) });
    assert.equal(right.displays.length, 2);
    for (const integrity of [digest('something else'), 'md5-x', '', 7, null]) {
      const wrong = await receive({ metadata: pass, payload: () => ({ 'vct#integrity': integrity }) });
      assert.deepEqual([wrong.displays, wrong.labels], [[], []], String(integrity));
    }
  });

  it('may be missing or anything else, and the credential arrives', async () => {
    const odd: TypeOptions[] = [
      { status: 404 },
      { status: 302 },
      { metadata: () => '{' },
      { metadata: () => 'null' },
      { metadata: () => ({ ...pass('https://another.example/type') }) },
      { metadata: (vct) => ({ vct, display: { name: 'x' }, claims: 'x' }) },
      { metadata: (vct) => ({ vct, display: [null, 7, { name: {} }], claims: [null, { path: [{}] }] }) },
      { metadata: () => '['.repeat(5000) + ']'.repeat(5000) },
      { metadata: (vct) => ({ ...pass(vct), filler: 'x'.repeat(300_000) }) },
    ];
    for (const one of odd) {
      const { displays, claims } = await receive(one);
      assert.ok(
        displays.every(({ name }: any) => name === undefined),
        JSON.stringify(displays),
      );
      assert.equal(claims.given_name, 'Ada');
    }
  });
});
