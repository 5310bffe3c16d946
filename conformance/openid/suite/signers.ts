// Keys with certificates that the suite signs with where it plays a wallet, a wallet provider or another issuer. Made for a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certify, usages } from '../../../test/support/certificates.ts';
import { ALIAS } from './registrations.ts';

export interface Signer {
  /** Private, with its chain without the root: the suite signs with it. */
  readonly jwk: object;
  /** In PEM. */
  readonly root: string;
}

/** `dns`: whom the certificate names. `use`: what it is for, if it is for one thing only. */
export function signer(kid: string, dns: readonly string[] = [], use?: string): Signer {
  const root = certify({ name: `CN=${kid} root`, ca: true });
  const { key, der } = certify({ name: `CN=${kid}`, by: root, dns: [...dns], ...(use && { extensions: [usages(use)] }) });
  return {
    jwk: { ...key.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig', x5c: [der] },
    root: root.certificate.toString(),
  };
}

/** The wallets that the suite plays, by their client ids. */
export const WALLETS = ['https://wallet.suite.example/1', 'https://wallet.suite.example/2'] as const;

/** A file of wallet providers for the service, and the provider that the suite plays. */
export function walletProvider(folder: string, suite: string): { readonly file: string; readonly signer: Signer } {
  const made = signer('suite-wallet-provider');
  const at = `${suite}/test/a/${ALIAS}/callback`;
  const redirects = [at, `${at}?dummy1=lorem&dummy2=ipsum`];
  const clients = WALLETS.map((id) => ({ client_id: id, redirect_uris: redirects }));
  writeFileSync(join(folder, 'provider.pem'), made.root);
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify({ providers: [{ name: 'The suite', certificates_file: 'provider.pem', clients }] }));
  return { file, signer: made };
}
