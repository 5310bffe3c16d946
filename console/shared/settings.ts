// What the server tells a page in its document.

export interface PageSettings {
  /** The path of the page; all its screens are below it. */
  readonly base: string;
  readonly brand: { readonly name: string; readonly logo: string | null };
  readonly language: string;
  readonly version: string;
  /** Only of the console: the address of the OpenID provider, which need not be the one that this page was opened at. */
  readonly issuer?: string;
}

function readSettings(): PageSettings {
  const text = document.querySelector<HTMLMetaElement>('meta[name=settings]')?.content;
  return JSON.parse(text ?? '{}') as PageSettings;
}

export const settings = readSettings();
