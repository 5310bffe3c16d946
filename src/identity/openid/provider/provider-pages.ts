// Pages that the OpenID library renders: device codes, logout, and errors.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { outageOf } from '../../../platform/http/index.ts';
import {
  type Brand,
  errorMessage,
  field,
  type Html,
  html,
  lookOf,
  outagePage,
  PAGE_HEADERS,
  type PageLook,
  page,
  trusted,
} from '../../ground/look/index.ts';

function show(ctx: KoaContextWithOIDC, look: PageLook, title: string, body: Html): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, value);
  ctx.body = page(look, { title, body });
}

const nameOf = ({ oidc }: KoaContextWithOIDC, { brand }: PageLook): string =>
  oidc.client?.clientName ?? oidc.client?.clientId ?? brand.name;

export const createProviderPages = (brand: () => Brand) =>
  ({
    async error(
      ctx: KoaContextWithOIDC,
      out: { error: string; error_description?: string | undefined },
      error: unknown,
    ): Promise<void> {
      const look = lookOf(ctx.req, brand());
      // The authorization endpoint reports the error before it renders the page.
      if (outageOf(error)) {
        for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, value);
        ctx.body = outagePage(look);
        return;
      }
      const { words } = look;
      const expired = out.error === 'invalid_request' && /session|interaction/i.test(out.error_description ?? '');
      const failed = out.error === 'server_error';
      const busy = out.error === 'temporarily_unavailable';
      const title = expired ? words.expiredTitle : failed ? words.failureTitle : busy ? words.outageTitle : words.errorTitle;
      const text = expired ? words.expiredText : failed ? words.failureRetry : busy ? words.busy : words.errorText;
      // The description is the library's, in English: whoever made the application needs it.
      const { error_description: why } = out;
      const more = why && html`<details><summary>${words.forDevelopers}</summary><p lang="en">${why}</p></details>`;
      show(ctx, look, title, html`<p>${text}</p><p class="soft"><code>${out.error}</code></p>${more}`);
    },

    /** The form is the library's, with its own CSRF protection; the input field is ours. */
    async userCode(ctx: KoaContextWithOIDC, form: string, _out: unknown, err: unknown): Promise<void> {
      const look = lookOf(ctx.req, brand());
      const { words } = look;
      const denied = err instanceof Error && err.name === 'AbortedError';
      const error = denied ? words.deviceRefused : err ? words.noSuchCode : undefined;
      const input = field({ name: 'user_code', label: words.deviceCode, complete: 'off', focus: true, code: 'text' });
      const button = html`<button type="submit">${words.continueLabel}</button>`;
      const withInput = form
        .replace(/<input\s[^>]*name="user_code"[^>]*>(<\/input>)?/, '')
        .replace('</form>', `${input.text}${button.text}</form>`);
      show(ctx, look, words.deviceTitle, html`${errorMessage(error)}<p>${words.deviceText}</p>${trusted(withInput)}`);
    },

    async confirmCode(ctx: KoaContextWithOIDC, form: string, _client: unknown, _info: unknown, userCode: string): Promise<void> {
      const look = lookOf(ctx.req, brand());
      const { words } = look;
      const buttons = html`<button type="submit">${words.continueLabel}</button>
<button type="submit" class="second" name="abort" value="yes">${words.cancel}</button>`;
      const whole = form.replace('</form>', `${buttons.text}</form>`);
      const text = words.confirmDeviceText(nameOf(ctx, look));
      show(ctx, look, words.deviceTitle, html`<p>${text}</p><p><code>${userCode}</code></p>${trusted(whole)}`);
    },

    async deviceDone(ctx: KoaContextWithOIDC): Promise<void> {
      const look = lookOf(ctx.req, brand());
      const { words } = look;
      show(ctx, look, words.deviceDoneTitle, html`<p role="status">${words.deviceDoneText}</p>`);
    },

    async logout(ctx: KoaContextWithOIDC, form: string): Promise<void> {
      const look = lookOf(ctx.req, brand());
      const { words } = look;
      const buttons = html`<button type="submit" name="logout" value="yes" autofocus>${words.signOut}</button>
<button type="submit" class="second">${words.stay}</button>`;
      const whole = form.replace('</form>', `${buttons.text}</form>`);
      show(ctx, look, words.logoutTitle, html`<p>${words.logoutText}</p>${trusted(whole)}`);
    },

    async loggedOut(ctx: KoaContextWithOIDC): Promise<void> {
      const look = lookOf(ctx.req, brand());
      const { words } = look;
      show(ctx, look, words.loggedOutTitle, html`<p role="status">${words.loggedOutText}</p>`);
    },
  }) satisfies {
    error: Configuration['renderError'];
    [name: string]: unknown;
  };

export type ProviderPages = ReturnType<typeof createProviderPages>;
