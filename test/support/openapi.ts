// OpenAPI documents without references, for tests that read schemas.

/** Every reference replaced by what it refers to. Our schemas do not contain themselves. */
export function dereferenced<Document>(document: Document): Document {
  const known = new Map<string, unknown>();
  function resolve(reference: string): unknown {
    if (!known.has(reference)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);
      known.set(reference, replace(found));
    }
    return known.get(reference);
  }
  function replace(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    // Members of SCIM groups have a field of that name, too.
    if (typeof $ref === 'string' && $ref.startsWith('#/')) return resolve($ref);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one)]));
  }
  return replace(document) as Document;
}
