// The consent of a person for an application.
import type { Apis } from '../../applications/apis/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import { type Consumers, isLoopback } from '../../applications/consumers/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { type PageLook, sendPage } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import {
  allowResources,
  type Consent,
  type CredentialCatalog,
  credentialsAsked,
  mayAskFor,
  resourcesOf,
  SCOPES,
  saveConsent,
  shortenAddress,
} from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { InteractionRequest, PromptSteps } from './interaction-request.ts';
import { type ConsentApi, type ConsentPages, consentPage } from './sign-in-pages.ts';

const MAX_USER_AGENT = 255;

export interface ConsentDeps extends Pick<Deps, 'change'> {
  readonly users: Users;
  readonly records: Records;
  readonly consumers: Pick<Consumers, 'logoPathOf'>;
  readonly clientRegistration: Pick<ClientRegistration, 'documents'>;
  readonly domainLooks: Pick<DomainLooks, 'brandOf'>;
  readonly catalog: Pick<CredentialCatalog, 'nameOf'>;
  readonly apis: Pick<Apis, 'find' | 'scopesFor'>;
}

/** What the person has not allowed yet, from the library. */
interface MissingConsent {
  readonly missingOIDCScope?: string[];
  readonly missingOIDCClaims?: string[];
  readonly missingResourceScopes?: Record<string, string[]>;
  /** Resources the person has not allowed yet, with what says in the grant that they do. */
  readonly missingResources?: Record<string, string>;
}

/** People know a site by its host; apps have a scheme of their own. */
function siteOf(redirectUri: unknown): string | undefined {
  const url = typeof redirectUri === 'string' ? URL.parse(redirectUri) : null;
  return url ? url.host || url.protocol : undefined;
}

/** Where the person goes whom an application asks that nobody knows. A device has no such place, so its name is all that there is. */
function strangerSite({ words }: PageLook, redirectUri: unknown, site: string | undefined): string {
  if (site === undefined) return words.deviceTitle;
  return isLoopback(String(redirectUri)) ? words.ownComputer(site) : site;
}

export class ConsentStep implements PromptSteps {
  readonly #deps: ConsentDeps;
  readonly #request: InteractionRequest;

  constructor(deps: ConsentDeps, request: InteractionRequest) {
    this.#deps = deps;
    this.#request = request;
  }

  async show(): Promise<void> {
    const { browser, interaction, clientId, application, form } = this.#request;
    const user = await this.#deps.users.find(interaction.session?.accountId ?? '');
    const requested = String(interaction.params.scope ?? '').split(' ');
    // Others are those of APIs, or nobody's, which the application does not get.
    const scopes = requested.filter((scope) => SCOPES.includes(scope));
    const asked = credentialsAsked(interaction.params);
    const names = await Promise.all(asked.map(async (one) => (await this.#deps.catalog.nameOf(one)) ?? one));
    const credentials = [...new Set(names)];
    const logo = await this.#deps.consumers.logoPathOf(clientId);
    const site = siteOf(interaction.params.redirect_uri);
    const about = {
      application,
      document: this.#documentHost(),
      stranger: this.#request.isStranger ? strangerSite(browser.look, interaction.params.redirect_uri, site) : undefined,
      logo,
      pages: this.#pages(),
      person: user?.name ?? '',
      site,
      scopes,
      apis: await this.#apis(requested, user?.id),
      credentials,
    };
    const look = user ? browser.look.in(await this.#deps.domainLooks.brandOf(user.domain_id)) : browser.look;
    sendPage(browser, consentPage(look, { ...form, ...about }));
  }

  /**
   * Its pages. Of an application that nobody knows only those at the host to which the person goes anyway, or that has its document: a link from here
   * would lend the good name of the service to any other. Its logo is never shown: it could be that of somebody else.
   */
  #pages(): ConsentPages {
    const { pages, isStranger, interaction } = this.#request;
    const known = [this.#documentHost(), siteOf(interaction.params.redirect_uri)];
    const shown = (address: string | undefined): URL | undefined => {
      const url = address === undefined ? null : URL.parse(address);
      return url && (!isStranger || (url.protocol === 'https:' && known.includes(url.host))) ? url : undefined;
    };
    return { policy: shown(pages.policy), terms: shown(pages.terms) };
  }

  /** The APIs that the application asks for, and what it may do there. */
  async #apis(requested: readonly string[], userId: string | undefined): Promise<ConsentApi[]> {
    const { apis } = this.#deps;
    const { interaction, clientId, provider } = this.#request;
    // The resource of credentials is this service itself.
    const resources = resourcesOf(interaction.params.resource).filter((one) => one !== provider.issuer);
    const found = await Promise.all(resources.map((one) => apis.find(one)));
    const known = found.filter((api) => api !== undefined).filter((api) => mayAskFor(api, clientId));
    return Promise.all(
      known.map(async (api) => ({
        name: api.name,
        address: shortenAddress(api.identifier),
        scopes: (await apis.scopesFor(api, userId ?? null))
          .filter(({ name, description }) => requested.includes(name) && description !== '')
          .map(({ description }) => description),
      })),
    );
  }

  submit(step: string): Promise<void> {
    return step === 'allow' ? this.#allow() : this.show();
  }

  #recordConsent(userId: string, clientId: string): Promise<void> {
    return this.#deps.change(this.#actor(userId), async ({ audit }) =>
      audit('consent.given', { kind: 'user', id: userId }, { consumer_id: clientId }),
    );
  }

  /** What a document says is of whoever has its host. */
  #documentHost(): string | undefined {
    const { isStranger, clientId } = this.#request;
    return isStranger && this.#deps.clientRegistration.documents.isDocumentId(clientId) ? new URL(clientId).host : undefined;
  }

  #actor(userId: string): Actor {
    const { address, requestId, request } = this.#request.browser.exchange;
    return { userId, requestId, origin: { address, user_agent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT) } };
  }

  /** An application whose client id is a document becomes one now, unless there are too many or it is gone. */
  async #isRegistered(userId: string): Promise<boolean> {
    const { clientRegistration, records } = this.#deps;
    const { clientId, browser } = this.#request;
    const { documents } = clientRegistration;
    if (!this.#request.isStranger || !documents.isDocumentId(clientId)) return true;
    const row = await documents.store(this.#actor(userId), userId, clientId, browser.exchange.address);
    if (row) records.bindConsumer(row);
    return row !== undefined;
  }

  async #allow(): Promise<void> {
    const { records } = this.#deps;
    const { provider, interaction, clientId, allowedScopes, finish } = this.#request;
    const accountId = interaction.session!.accountId!;
    if (!(await this.#isRegistered(accountId))) return this.show();
    const existing = interaction.grantId ? await provider.Grant.find(interaction.grantId) : undefined;
    const grant = existing ?? new provider.Grant({ accountId, clientId });
    const details = interaction.prompt.details as MissingConsent;
    const { missingOIDCScope = [], missingOIDCClaims = [], missingResourceScopes = {}, missingResources = {} } = details;
    // The application may have lost one since the page was shown; the library refuses the request then.
    const scopes = missingOIDCScope.filter((scope) => allowedScopes?.includes(scope) ?? true);
    if (scopes.length > 0) grant.addOIDCScope(scopes.join(' '));
    if (missingOIDCClaims.length > 0) grant.addOIDCClaims(missingOIDCClaims);
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, scopes.join(' '));
    allowResources(grant, missingResources);
    const grantId = await grant.save();
    // It is valid as long as a refresh token.
    const { refreshTokenSeconds } = records.lifetimesOf(accountId);
    await saveConsent(records, { accountId, clientId, grantId }, grant as Consent, refreshTokenSeconds);
    await this.#recordConsent(accountId, clientId);
    // Includes the sign-in just before: otherwise prompt=login would ask for another one, endlessly.
    const { login } = interaction.lastSubmission ?? {};
    await finish({ ...(login ? { login } : {}), consent: { grantId } });
  }
}
