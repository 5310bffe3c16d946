// Verifiers that the operator registered: `{"client id": {"responseUris": ["https://…"], "name": "…"}}`.
import { readFileSync } from 'node:fs';
import { ConfigError } from '../../platform/config/index.ts';
import { t, validate } from '../../platform/http/index.ts';

const Verifiers = t.record(t.object({ responseUris: t.array(t.string()) }, { name: t.string() }));

export type RegisteredVerifiers = Readonly<Record<string, { readonly responseUris: readonly string[]; readonly name?: string }>>;

export function readVerifiers(file: string | undefined): RegisteredVerifiers {
  if (file === undefined) return {};
  try {
    return validate(Verifiers, JSON.parse(readFileSync(file, 'utf8'))) as RegisteredVerifiers;
  } catch (error) {
    throw new ConfigError(`GATEHOUSE_WALLET_VERIFIERS_FILE: ${file} cannot be used: ${(error as Error).message}`);
  }
}
