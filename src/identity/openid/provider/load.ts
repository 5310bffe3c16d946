// Loads what makes the library's provider, with the first request for it.

export const loadProvider = () => import('./provider.ts');
export type CreateCurrentProvider = Awaited<ReturnType<typeof loadProvider>>['createCurrentProvider'];
