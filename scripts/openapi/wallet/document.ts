// The OpenAPI document of the wallet node, made of its routes without starting it.
import { createApp, mountProbes } from '../../../src/platform/http/index.ts';
import { apiPageRoutes, guideRoutes } from '../../../src/platform/pages/index.ts';
import { version } from '../../../src/version.ts';
import { walletFaults } from '../../../src/wallet/ground/faults.ts';
import { Problem, problemCode, problemErrors } from '../../../src/wallet/resource/index.ts';
import { mountWallet, type WalletRouteDeps } from '../../../src/wallet/routes.ts';
import { type ErrorFamily, openApi } from '../openapi.ts';
import { recordedOf } from '../recorded.ts';
import { PARAMETERS, TAGS, whoMay } from './texts.ts';

const PROBLEMS: ErrorFamily = { prefix: '', schema: Problem, type: 'application/problem+json', format: problemErrors };

const DESCRIPTION = `Keys, DIDs and verifiable credentials of users who log in through OpenID Connect.

A browser logs in by \`GET /api/v1/auth/login\` and gets a session cookie. Changes with that cookie must come from a page of the service (Origin or Sec-Fetch-Site). Programs send an access token (RFC 9068), if an audience is configured.

Refusals are problem details (RFC 9457) with a stable \`code\`. Lists are arrays; the header \`Link\` names the next page. Times are in UTC (ISO 8601).`;

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-gatehouse_wallet',
    description: 'Without TLS the cookie is called gatehouse_wallet.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Only if an audience is configured (RFC 9068).',
  },
};

export function makeWalletDocument(): Record<string, unknown> {
  const app = createApp<never>();
  mountWallet(app as never, {} as WalletRouteDeps);
  mountProbes(app, {});
  return openApi([...app.routes, ...apiPageRoutes('Documents'), ...guideRoutes('Documents')], {
    title: 'Gatehouse wallet node',
    version,
    description: DESCRIPTION,
    server: 'http://127.0.0.1:8080',
    tags: TAGS,
    securitySchemes: SECURITY_SCHEMES,
    securityOf: () => ['session', 'bearer'],
    whoMay,
    // An owner is never refused; what others have is not found.
    isForEverybody: (rule) => rule !== 'administrator',
    parameters: PARAMETERS,
    ...recordedOf('wallet'),
    errorsOf: () => PROBLEMS,
    faults: walletFaults,
    codeOf: (code) => problemCode(code, (walletFaults as Record<string, { status: number }>)[code]?.status ?? 500),
  });
}
