// Types of untyped libraries, as far as tests use them.
declare module '@digitalbazaar/vc' {
  interface Result {
    error?: Error & { errors?: Error[] };
  }
  type Loader = (url: string) => Promise<unknown>;
  export function issue(options: {
    credential: object;
    suite: unknown;
    documentLoader: Loader;
  }): Promise<Record<string, unknown>>;
  export function verify(options: {
    presentation: object;
    challenge: string;
    domain: string;
    suite: unknown;
    documentLoader: Loader;
    checkStatus(): Promise<{ verified: boolean }>;
  }): Promise<Result & { verified: boolean; credentialResults?: Result[] }>;
}

declare module '@digitalbazaar/data-integrity' {
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: unknown; signer?: unknown; date?: Date });
  }
}

declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: unknown;
}

declare module '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite' {
  export const cryptosuite: unknown;
}

declare module 'mailparser' {
  export interface ParsedMail {
    readonly headers: Map<string, unknown>;
    readonly headerLines: readonly { key: string; line: string }[];
    readonly from?: { readonly value: readonly { address: string; name: string }[] };
    readonly to?: { readonly value: readonly { address: string; name: string }[] };
    readonly subject?: string;
    readonly text?: string;
    readonly html?: string | false;
    /** The text as HTML, with its URLs as links. */
    readonly textAsHtml?: string;
    readonly messageId?: string;
    readonly date?: Date;
    readonly attachments: readonly unknown[];
  }
  export function simpleParser(source: string | Buffer): Promise<ParsedMail>;
}
