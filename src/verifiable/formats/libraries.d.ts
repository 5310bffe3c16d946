// Types for libraries that have none.
declare module 'jsonld' {
  export interface CanonizeOptions {
    base: null;
    safe: true;
    rdfDirection: 'i18n-datatype';
    documentLoader(url: string): Promise<unknown>;
    canonizeOptions: {
      algorithm: 'RDFC-1.0';
      format: 'application/n-quads';
      messageDigestAlgorithm: 'SHA-256' | 'SHA-384';
      maxWorkFactor: number;
      signal: AbortSignal;
    };
  }
  export interface CompactOptions extends Pick<CanonizeOptions, 'base' | 'safe' | 'documentLoader'> {
    compactArrays: true;
  }
  const jsonld: {
    canonize(document: object, options: CanonizeOptions): Promise<string>;
    compact(document: object, context: unknown, options: CompactOptions): Promise<Record<string, unknown>>;
  };
  export default jsonld;
}

declare module '@digitalbazaar/credentials-context' {
  export const contexts: ReadonlyMap<string, unknown>;
}

declare module '@digitalbazaar/data-integrity-context' {
  export const contexts: ReadonlyMap<string, unknown>;
}

declare module '@digitalbazaar/multikey-context' {
  export const contexts: ReadonlyMap<string, unknown>;
}

declare module 'did-context' {
  export const contexts: ReadonlyMap<string, unknown>;
}
