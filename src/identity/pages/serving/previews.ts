// The sign-in page and mails as they would look with what is not saved yet. Nothing on them works: no script, no form, no link.
import { fail } from '../../ground/faults.ts';
import {
  type Assets,
  type BrowserRequest,
  brandColors,
  forScheme,
  LANGUAGES,
  type LookDraft,
  lookOf,
  PAGE_HEADERS,
  type PreviewContent,
  type Previews,
  style,
} from '../../ground/look/index.ts';
import { previewPath } from '../../openid/paths/index.ts';
import { signInPage } from '../sign-in/index.ts';

/** Only our own pages may show it, in a frame that can do nothing. */
const headersOf = (type: string, styles: string): Record<string, string> => ({
  ...PAGE_HEADERS,
  'Content-Type': `${type}; charset=utf-8`,
  'Content-Security-Policy': `default-src 'none'; style-src ${styles}; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox`,
  'X-Frame-Options': 'SAMEORIGIN',
});

function signInPageOf({ name, logo, links, language }: LookDraft, { brand }: Assets, id: string): string {
  const draft = { ...brand, name, logo, links, language, style: `${previewPath(id)}/style.css` };
  const look = lookOf({ headers: {} }, draft);
  const { forgottenPassword } = LANGUAGES[language];
  const text = signInPage(look, {
    action: '',
    token: '',
    application: name,
    logo: undefined,
    name: '',
    domain: '',
    wallet: false,
    links: [{ href: '', label: forgottenPassword }],
    providers: { buttons: [], byEmail: false },
  });
  // Whoever types beside it keeps the focus.
  return text.replace('<body>', '<body inert>').replace(/ autofocus(?= required)/, '');
}

const styleOf = ({ color, scheme }: LookDraft): string =>
  forScheme(style + (color === undefined ? '' : brandColors(color)), scheme);

export function createPreviewPages({ previews, assets }: { readonly previews: Previews; readonly assets: Assets }) {
  function answerOf(content: PreviewContent, id: string, isStyle: boolean): { text: string; headers: Record<string, string> } {
    if (content.kind === 'mail')
      return isStyle ? fail('route.not_found') : { text: content.html, headers: headersOf('text/html', "'unsafe-inline'") };
    return isStyle
      ? { text: styleOf(content.look), headers: headersOf('text/css', "'none'") }
      : { text: signInPageOf(content.look, assets, id), headers: headersOf('text/html', "'self'") };
  }

  return async ({ exchange: { request, response } }: BrowserRequest, asked: { id: string; isStyle: boolean }): Promise<void> => {
    const content = (await previews.find(asked.id)) ?? fail('route.not_found');
    const { text, headers } = answerOf(content, asked.id, asked.isStyle);
    response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
}

export type PreviewPages = ReturnType<typeof createPreviewPages>;
