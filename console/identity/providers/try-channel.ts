// Between the page that tries a provider and the page to which it returns. Only pages of this origin hear it.

/** The state of an attempt is `try.` and its id. */
export const attemptIdOf = (state: string | null): string | undefined => /^try\.([\w-]{16,64})$/.exec(state ?? '')?.[1];

export const channelOf = (id: string): BroadcastChannel => new BroadcastChannel(`gatehouse-provider-${id}`);
