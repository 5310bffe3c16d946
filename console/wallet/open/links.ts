// Links of issuers and verifiers: what kind they are, and opening them.
import { api } from '../session.ts';
import type { OfferPreview, PresentationPreview } from '../types.ts';

export type LinkKind = 'offer' | 'request';

/** What the link is for, by its parameters (OID4VCI, 4.1; OID4VP, 5). Its scheme does not matter. Undefined for any other text. */
export function kindOf(link: string): LinkKind | undefined {
  const parameters = URL.parse(link.trim())?.searchParams;
  if (!parameters) return undefined;
  if (parameters.has('credential_offer') || parameters.has('credential_offer_uri')) return 'offer';
  return parameters.has('client_id') ? 'request' : undefined;
}

/** Who the wallet would ask first, for somebody who did not enter the link themselves. */
export function askedHost(link: string): string | undefined {
  const parameters = URL.parse(link)?.searchParams;
  const address = parameters?.get('credential_offer_uri') ?? parameters?.get('request_uri') ?? parameters?.get('response_uri');
  if (address) return URL.parse(address)?.host;
  try {
    // The document of such an identifier is read to check who asks.
    const didHost = /^(?:decentralized_identifier:)?did:web:([^:/?#]+)/.exec(parameters?.get('client_id') ?? '')?.[1];
    if (didHost) return decodeURIComponent(didHost);
    const offer = JSON.parse(parameters?.get('credential_offer') ?? 'null') as { credential_issuer?: unknown } | null;
    return typeof offer?.credential_issuer === 'string' ? URL.parse(offer.credential_issuer)?.host : undefined;
  } catch {
    return undefined;
  }
}

const MAX_KEPT = 5;
/** Previews that were just read, so that the next screen does not read them again. */
const kept = new Map<string, OfferPreview | PresentationPreview>();

function keep(preview: OfferPreview | PresentationPreview): void {
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(preview.exchangeId, preview);
}

/** Reads what is offered or asked for. Nothing is accepted or answered. Returns the address of the screen that shows it. */
export async function openLink(link: string): Promise<string> {
  const isOffer = kindOf(link) === 'offer';
  const preview = await api.post<OfferPreview | PresentationPreview>(isOffer ? '/oid4vci' : '/oid4vp', {
    uri: link.trim(),
    preview: true,
  });
  keep(preview);
  return `/${isOffer ? 'receive' : 'share'}/${preview.exchangeId}`;
}

/** The preview of an exchange: the one that was just read, or a new one. */
export async function previewOf<Preview extends OfferPreview | PresentationPreview>(
  protocol: 'oid4vci' | 'oid4vp',
  exchangeId: string,
  signal: AbortSignal,
): Promise<Preview> {
  const known = kept.get(exchangeId);
  kept.delete(exchangeId);
  return (known ?? (await api.post(`/${protocol}`, { exchangeId, preview: true }, { signal }))) as Preview;
}
