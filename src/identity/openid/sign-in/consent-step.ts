// Whether an application may know what it asks for.
import type { Users } from '../../users/index.ts';
import { sendPage } from '../pages/browser.ts';
import { consentPage } from '../pages/sign-in-pages.ts';
import { type Consent, keepConsent } from '../provider/consents.ts';
import type { Records } from '../provider/records/records.ts';
import { allow, resourcesOf, shownAddress } from '../provider/resources.ts';
import type { Steps, Visit } from './visit.ts';

export interface ConsentDeps {
  readonly users: Users;
  readonly records: Records;
  /** How long a person is not asked again. */
  readonly consentSeconds: number;
}

/** What the provider says is not allowed yet. */
interface Missing {
  readonly missingOIDCScope?: string[];
  readonly missingOIDCClaims?: string[];
  readonly missingResourceScopes?: Record<string, string[]>;
  /** Those whose address the person has not seen. */
  readonly missingResources?: string[];
}

export class ConsentStep implements Steps {
  readonly #deps: ConsentDeps;
  readonly #visit: Visit;

  constructor(deps: ConsentDeps, visit: Visit) {
    this.#deps = deps;
    this.#visit = visit;
  }

  async show(): Promise<void> {
    const { browser, interaction, application, form } = this.#visit;
    const user = await this.#deps.users.find(interaction.session?.accountId ?? '');
    const scopes = String(interaction.params.scope ?? '')
      .split(' ')
      .filter(Boolean);
    const resources = resourcesOf(interaction.params.resource).map(shownAddress);
    sendPage(browser, consentPage({ ...form, application, person: user?.name ?? '', scopes, resources }));
  }

  take(step: string): Promise<void> {
    return step === 'allow' ? this.#allow() : this.show();
  }

  async #allow(): Promise<void> {
    const { records, consentSeconds } = this.#deps;
    const { provider, interaction, clientId, finish } = this.#visit;
    const accountId = interaction.session!.accountId!;
    const held = interaction.grantId ? await provider.Grant.find(interaction.grantId) : undefined;
    const grant = held ?? new provider.Grant({ accountId, clientId });
    const details = interaction.prompt.details as Missing;
    const { missingOIDCScope = [], missingOIDCClaims = [], missingResourceScopes = {}, missingResources = [] } = details;
    if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
    if (missingOIDCClaims.length > 0) grant.addOIDCClaims(missingOIDCClaims);
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, scopes.join(' '));
    allow(grant, missingResources);
    const grantId = await grant.save();
    await keepConsent(records, { accountId, clientId }, grant as Consent, consentSeconds);
    // The sign-in just before goes along: without it, an application that asks for one (prompt=login) gets another, for ever.
    const { login } = interaction.lastSubmission ?? {};
    await finish({ ...(login ? { login } : {}), consent: { grantId } });
  }
}
