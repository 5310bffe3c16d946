// What a token is for.
export type Scope =
  | { readonly kind: 'unscoped' }
  | { readonly kind: 'project'; readonly id: string }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'system' };

export const isSameScope = (one: Scope, other: Scope): boolean =>
  one.kind === other.kind && ('id' in one ? one.id : undefined) === ('id' in other ? other.id : undefined);
