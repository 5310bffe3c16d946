// Keys of the service at an identity provider, on the wire. Never the private ones.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { ProviderKeyRow } from '../../ground/database/index.ts';

const ProviderKey = t.object({
  id: t.string({ description: 'Its key id (`kid`).' }),
  used_for: t.oneOf('sig', 'dpop'),
  alg: t.string(),
  created_at: t.string(),
});
export const ProviderKeyList = t.object({ keys: t.array(ProviderKey) });
export const ReplaceProviderKeys = t.envelope(
  'keys',
  t.object(
    {},
    {
      at_once: t.boolean({
        description: 'The former keys are neither used nor published any more, as after a theft. False by default.',
      }),
    },
  ),
);
export const renderProviderKeys = (rows: readonly ProviderKeyRow[]) => ({
  keys: rows.map(({ id, used_for, alg, created_at: at }) => ({ id, used_for, alg, created_at: isoTime(at * 1000) })),
});

t.name({ ProviderKey, ProviderKeyList, ReplaceProviderKeys });
