// A dashboard that sends people here to sign in, as Horizon does.
import assert from 'node:assert/strict';
import type { BrowserPage } from './test-browser.ts';

export const DASHBOARD = 'https://horizon.example.org/auth/websso/';
export const DASHBOARD_SETTINGS = { GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD: `https://other.example.org/websso, ${DASHBOARD}` };

/** Where it sends people, also through a provider. */
export const dashboardSignIn = (providerId?: string, origin = DASHBOARD, protocolId = 'openid'): string =>
  `/v3/auth/OS-FEDERATION/${
    providerId === undefined ? `websso/${protocolId}` : `identity_providers/${providerId}/protocols/${protocolId}/websso`
  }?${new URLSearchParams({ origin })}`;

/** The token that the page brings to the dashboard. */
export function tokenForDashboard(page: BrowserPage): string {
  assert.equal(page.status, 200, page.text);
  const [form] = page.forms;
  assert.equal(form?.action, DASHBOARD, page.text);
  assert.deepEqual(Object.keys(form.fields), ['token']);
  return form.fields.token!;
}
