// Keys: generation, import, rotation, revocation, purge and signing.
// key-store.ts is the interface of what stores private keys: software-store.ts or pkcs11/. listener.ts tells other modules about changed keys.
export type { KeyStores } from './drafts.ts';
export { isSlow } from './generation.ts';
export type { KeyStorage, KeyStore } from './key-store.ts';
export { mountKeys } from './keys.routes.ts';
export { createKeys, type Keys } from './keys.rules.ts';
export { Key } from './keys.schema.ts';
export { nodeKeyIds } from './keys.store.ts';
export type { KeyListener } from './listener.ts';
export { renderKeyWithUse } from './reading.ts';
export { createSoftwareStore, dataKeySealContext } from './software-store.ts';
export { openStores } from './stores.ts';
export { RELATIONSHIPS, type Relationship } from './uses.ts';
