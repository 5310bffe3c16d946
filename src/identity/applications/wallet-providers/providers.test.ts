// The file of wallet providers: what is refused at the start.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { certify, newEcKey } from '../../../../test/support/certificates.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import { publicJwkOf } from '../../../verifiable/jose/index.ts';
import { AttestationError, readWalletProviders } from './index.ts';

describe('The list of wallet providers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-providers-'));
  after(() => rmSync(folder, { recursive: true }));
  const clock = { now: () => Date.now() };
  const file = join(folder, 'providers.json');
  const root = certify({ name: 'CN=root', ca: true });
  const leaf = certify({ name: 'CN=leaf', by: root });
  writeFileSync(join(folder, 'root.pem'), root.certificate.toString());
  writeFileSync(join(folder, 'empty.pem'), '');
  const key = newEcKey();
  const jwks = { keys: [{ ...publicJwkOf(key), kid: 'one' }] };

  const read = (content: unknown, { haip = false } = {}) => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readWalletProviders({ clock, config: { walletProvidersFile: file, haip } });
  };
  const withProvider = (values: object) => ({ providers: [{ name: 'one', certificates_file: 'root.pem', ...values }] });

  it('may be missing: then nobody is trusted', () => {
    const none = readWalletProviders({
      clock,
      config: { walletProvidersFile: undefined, haip: true },
    });
    assert.equal(none.isKnown, false);
    assert.throws(() => none.keyForKeys({ x5c: [leaf.der] }), AttestationError);
  });

  it('trusts by certificates, for the wallets that it names', () => {
    const providers = read(
      withProvider({ clients: [{ client_id: 'https://wallet.example', redirect_uris: ['wallet:callback'] }] }),
    );
    assert.deepEqual(providers.wallet('https://wallet.example')?.redirectUris, ['wallet:callback']);
    assert.equal(providers.wallet('https://other.example'), undefined);
    const { publicKey } = leaf.certificate;
    assert.ok(providers.keyForWallet({ x5c: [leaf.der] }, 'https://wallet.example').equals(publicKey));
    assert.throws(() => providers.keyForWallet({ x5c: [leaf.der] }, 'https://other.example'), AttestationError);
    assert.ok(providers.keyForKeys({ x5c: [leaf.der] }).equals(publicKey));
    assert.throws(() => providers.keyForKeys({ x5c: [leaf.der, root.der] }), AttestationError);
    assert.throws(() => providers.keyForKeys({ x5c: [root.der] }), AttestationError);
    assert.throws(() => providers.keyForKeys({ x5c: 'x' }), AttestationError);
  });

  it('trusts by keys, unless HAIP asks for certificates', () => {
    const content = { providers: [{ name: 'one', jwks }] };
    assert.equal(read(content).keyForKeys({ kid: 'one' }).type, 'public');
    assert.throws(() => read(content).keyForKeys({ kid: 'two' }), AttestationError);
    assert.throws(() => read(content).keyForKeys({ x5c: [leaf.der] }), AttestationError);
    assert.throws(() => read(content, { haip: true }).keyForKeys({ kid: 'one' }), AttestationError);
  });

  const WRONG: Readonly<Record<string, unknown>> = {
    'is not JSON': '{',
    'has no providers': {},
    'has an empty list': { providers: [] },
    'has a provider without a name': { providers: [{ certificates_file: 'root.pem' }] },
    'trusts nothing': { providers: [{ name: 'one' }] },
    'names a file that is not there': withProvider({ certificates_file: 'none.pem' }),
    'names a file without certificates': withProvider({ certificates_file: 'empty.pem' }),
    'has a private key': { providers: [{ name: 'one', jwks: { keys: [key.export({ format: 'jwk' })] } }] },
    'has no keys in a set': { providers: [{ name: 'one', jwks: { keys: [] } }] },
    'has a client without an id': withProvider({ clients: [{}] }),
    'has a client of ours': withProvider({ clients: [{ client_id: 'gatehouse_account' }] }),
    'has a client twice': withProvider({ clients: [{ client_id: 'a' }, { client_id: 'a' }] }),
    'lets a wallet return to a script': withProvider({ clients: [{ client_id: 'a', redirect_uris: ['javascript:alert(1)'] }] }),
  };
  for (const [name, content] of Object.entries(WRONG))
    it(`is refused if it ${name}`, () => {
      assert.throws(() => read(content), ConfigError);
    });
});
