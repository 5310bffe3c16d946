// Sections: roles to take along as credentials, and those in wallets.
import { renderSVG } from 'uqr';
import { type Html, hidden, html, type PageWords, trusted } from '../../ground/look/index.ts';
import { type AccountView, button, list, section } from './layout.ts';

export interface AvailableOnPage {
  readonly name: string;
  readonly description: string;
  readonly application: string | undefined;
  /** The first is for those who do not choose. */
  readonly configurations: readonly { readonly id: string; readonly format: keyof PageWords['credentialFormats'] }[];
}

export interface IssuedOnPage {
  readonly id: string;
  readonly name: string;
  /** With their applications. */
  readonly roles: string | undefined;
  readonly copies: number;
  readonly state: keyof PageWords['credentialStates'];
  /** Times in seconds. */
  readonly issuedAt: number;
  /** When the wallet last got it anew. */
  readonly refreshedAt: number | undefined;
  readonly expiresAt: number;
  readonly changedAt: number;
}

export interface OfferOnPage {
  /** `openid-credential-offer:`, which any wallet reads. */
  readonly uri: string;
  /** The same, as the wallet of this service opens it. */
  readonly link: string;
  /** The same for the wallet node that runs with the service, if `link` opens other wallets. */
  readonly beside: string | undefined;
  readonly txCode: string | undefined;
  /** In seconds. */
  readonly expiresAt: number;
}

function availableItem(view: AccountView, { name, description, application, configurations }: AvailableOnPage, at: number): Html {
  const { words } = view.look;
  const about = [application, description].filter((text) => text !== undefined && text !== '').join(': ');
  const [first] = configurations;
  const id = `available-${at}`;
  const choice =
    configurations.length > 1
      ? html`<select name="configuration" aria-label="${words.credentialFormat}" aria-describedby="${id}">${configurations.map(
          ({ id, format }) => html`<option value="${id}">${words.credentialFormats[format]}</option>`,
        )}</select>`
      : hidden('configuration', first?.id ?? '');
  return html`<li><span><strong id="${id}">${name}</strong><br><span class="soft">${about}</span></span>
${button(view, 'credential-offer', words.toWallet, choice, { about: id })}</li>`;
}

function issuedItem(view: AccountView, one: IssuedOnPage, at: number): Html {
  const { look } = view;
  const { words } = look;
  const isOver = one.state === 'revoked' || one.state === 'expired';
  const until =
    one.state === 'revoked'
      ? html`${words.credentialStates.revoked} ${look.time(one.changedAt)}`
      : html`${one.state === 'expired' ? words.credentialStates.expired : words.credentialUntil} ${look.time(one.expiresAt)}`;
  const refreshed = one.refreshedAt !== undefined && html`, ${words.credentialRefreshed} ${look.time(one.refreshedAt)}`;
  const copies = one.copies > 1 && html`, ${words.credentialCopies(one.copies)}`;
  const suspended = one.state === 'suspended' && html` (${words.credentialStates.suspended})`;
  const id = `issued-${at}`;
  return html`<li><span><strong id="${id}">${one.name}</strong>${suspended}<br><span class="soft">${
    one.roles !== undefined && html`${one.roles}<br>`
  }${words.credentialIssued} ${look.time(one.issuedAt)}${refreshed}, ${until}${copies}</span></span>
${!isOver && button(view, 'credential-revoke', words.revoke, hidden('credential', one.id), { about: id })}</li>`;
}

export function roleCredentialsSections(
  view: AccountView,
  available: readonly AvailableOnPage[],
  issued: readonly IssuedOnPage[],
): Html {
  const { words } = view.look;
  const toTake = section(
    words.takeRoles,
    html`<p class="soft">${words.takeRolesText}</p>${list(
      available.map((one, at) => availableItem(view, one, at)),
      words.noRolesToTake,
    )}`,
  );
  const inWallets = section(
    words.inWallets,
    list(
      issued.map((one, at) => issuedItem(view, one, at)),
      words.nothingInWallets,
    ),
  );
  return html`${toTake}${inWallets}`;
}

/** Shown once: the transaction code is nowhere else. */
export function offerSection(view: AccountView, { uri, link, beside, txCode, expiresAt }: OfferOnPage): Html {
  const { look } = view;
  const { words } = look;
  // A wallet that is a page asks for the code, which is on this one.
  const isPage = link.startsWith('http');
  const newTab = html` target="_blank" rel="noopener noreferrer"`;
  return section(
    words.takeRoles,
    html`<p>${words.offerText}</p>
<p class="qr" role="img" aria-label="${words.offerQr}">${trusted(renderSVG(link, { border: 2 }))}</p>
<p><a class="button second small" href="${link}"${isPage && newTab}>${words.walletOpen}</a></p>
${beside !== undefined && html`<p><a class="button second small" href="${beside}"${newTab}>${words.offerBeside}</a></p>`}
<p>${words.offerLink}: <code class="copy">${uri}</code></p>
${txCode !== undefined && html`<p class="number">${words.offerCode}:<br><code class="copy">${txCode}</code></p>`}
<p role="status">${words.offerUntil} ${look.time(expiresAt)}. ${words.offerWarning}</p>
<p><a href="${view.action}">${words.offerDone}</a></p>`,
  );
}
