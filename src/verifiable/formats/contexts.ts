// The supported JSON-LD contexts. None is fetched or taken from a document: contexts are not signed, so another context could
// rename claims without breaking the signature.
import { reject } from './format.ts';
import type { JsonDocument } from './w3c.ts';

const CREDENTIALS = ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/2018/credentials/v1'] as const;
export const [CREDENTIALS_V2, CREDENTIALS_V1] = CREDENTIALS;
export const DATA_INTEGRITY_V2 = 'https://w3id.org/security/data-integrity/v2';

/** As published by W3C. Many demos and the W3C test vectors need it. */
const EXAMPLES: JsonDocument = { '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' } };

const KNOWN: readonly unknown[] = [
  ...CREDENTIALS,
  DATA_INTEGRITY_V2,
  'https://w3id.org/security/data-integrity/v1',
  'https://w3id.org/security/multikey/v1',
  'https://www.w3.org/ns/did/v1',
  'https://www.w3.org/ns/credentials/undefined-terms/v2',
  'https://www.w3.org/ns/credentials/examples/v2',
];

/** Keywords for language strings. Other keywords are aliases of terms that VCDM defines. */
const KEYWORDS: readonly string[] = ['@context', '@value', '@language', '@direction'];

/** Throws if a context at any level is not supported, or a JSON-LD keyword is not allowed. */
export function checkContexts(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) checkContexts(item);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, child] of Object.entries(value)) {
      if (name.startsWith('@') && !KEYWORDS.includes(name)) reject('malformed', `it uses ${name.slice(0, 20)}`);
      if (name !== '@context') checkContexts(child);
      else if (![child].flat().every((one) => KNOWN.includes(one)))
        reject('unknown-context', 'it has a context that is not known');
    }
  }
}

/** The first context determines the data model. */
export function modelOf(document: JsonDocument): typeof CREDENTIALS_V1 | typeof CREDENTIALS_V2 {
  const [first] = [document['@context']].flat();
  return CREDENTIALS.find((one) => one === first) ?? reject('unknown-context', 'its first context is not one of credentials');
}

export interface LoadedDocument {
  readonly contextUrl: null;
  readonly documentUrl: string;
  readonly document: unknown;
}

/** Loads the contexts together with the library. */
export async function createLoader(): Promise<(url: string) => Promise<LoadedDocument>> {
  const packages = await Promise.all([
    import('@digitalbazaar/credentials-context'),
    import('@digitalbazaar/data-integrity-context'),
    import('@digitalbazaar/multikey-context'),
    import('did-context'),
  ]);
  const documents = new Map<string, unknown>([
    ...packages.flatMap(({ contexts }) => [...contexts]),
    ['https://www.w3.org/ns/credentials/examples/v2', EXAMPLES],
  ]);
  return async (url) => {
    const document = documents.get(url) ?? reject('unknown-context', 'it has a context that is not known');
    return { contextUrl: null, documentUrl: url, document };
  };
}
