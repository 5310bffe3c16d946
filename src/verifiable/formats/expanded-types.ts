// Types of W3C credentials as their contexts define them: what JSON-LD processing gives, for contexts that are known here or written in the
// credential. Those of others are not fetched: a type that only they define stays as it is written.

type Terms = Readonly<Record<string, unknown>>;

const CREDENTIALS: Terms = {
  VerifiableCredential: 'https://www.w3.org/2018/credentials#VerifiableCredential',
  VerifiablePresentation: 'https://www.w3.org/2018/credentials#VerifiablePresentation',
};
/** What they say of types of credentials. */
const KNOWN = new Map<unknown, Terms>([
  ['https://www.w3.org/2018/credentials/v1', CREDENTIALS],
  ['https://www.w3.org/ns/credentials/v2', CREDENTIALS],
  ['https://www.w3.org/ns/credentials/examples/v2', { '@vocab': 'https://www.w3.org/ns/credentials/examples#' }],
  ['https://www.w3.org/ns/credentials/undefined-terms/v2', { '@vocab': 'https://www.w3.org/ns/credentials/undefined-term#' }],
]);
/** Terms of these cannot be defined anew. */
const isProtected = (terms: Terms): boolean => terms === CREDENTIALS;

/** A scheme, and something behind it. */
const IRI = /^[A-Za-z][A-Za-z\d+.-]*:./;

const termsOf = (context: unknown): Terms | undefined =>
  KNOWN.get(context) ?? (typeof context === 'object' && context !== null ? (context as Terms) : undefined);

/** The last definition counts, unless a protected one was before it. */
function definitionOf(name: string, contexts: readonly Terms[]): string | undefined {
  const defining = contexts.filter((terms) => Object.hasOwn(terms, name));
  const value = (defining.find(isProtected) ?? defining.at(-1))?.[name];
  const id = typeof value === 'object' && value !== null ? (value as Terms)['@id'] : value;
  return typeof id === 'string' ? id : undefined;
}

function expand(name: string, contexts: readonly Terms[]): string {
  const defined = name.startsWith('@') ? undefined : definitionOf(name, contexts);
  if (defined === undefined && !name.includes(':')) return (definitionOf('@vocab', contexts) ?? '') + name;
  const iri = defined ?? name;
  const [prefix = '', ...rest] = iri.split(':');
  const base = rest.length > 0 && !rest[0]!.startsWith('//') ? definitionOf(prefix, contexts) : undefined;
  const whole = base !== undefined && IRI.test(base) ? base + rest.join(':') : iri;
  return IRI.test(whole) ? whole : name;
}

/** In their order. */
export function expandedTypes(types: readonly string[], context: unknown): string[] {
  const all: readonly unknown[] = [context].flat();
  const contexts = all.flatMap((one): Terms[] => [termsOf(one) ?? {}]);
  return types.map((type) => expand(type, contexts));
}
