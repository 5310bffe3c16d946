// Opens the configured key stores at the start.
import { ConfigError } from '../../platform/config/index.ts';
import { withDeviceFaults } from './device.ts';
import type { KeyStores } from './drafts.ts';
import { openPkcs11Store } from './pkcs11/pkcs11-store.ts';
import { createSoftwareStore } from './software-store.ts';

export interface DeviceSettings {
  readonly pkcs11Library: string | undefined;
  readonly pkcs11Token: string | undefined;
  readonly pkcs11Pin: string | undefined;
}

export async function openStores(settings: DeviceSettings, seal: Parameters<typeof createSoftwareStore>[0]): Promise<KeyStores> {
  const { pkcs11Library: library, pkcs11Token: tokenLabel, pkcs11Pin: pin = '' } = settings;
  const software = createSoftwareStore(seal);
  if (library === undefined) return { software };
  const pkcs11 = await openPkcs11Store({ library, pin, ...(tokenLabel === undefined ? {} : { tokenLabel }) }).catch(
    (error: Error) => {
      throw new ConfigError(`GATEHOUSE_WALLET_PKCS11_LIBRARY: the device cannot be used: ${error.message}`);
    },
  );
  return { software, pkcs11: withDeviceFaults(pkcs11) };
}
