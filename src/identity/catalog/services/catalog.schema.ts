// The catalog in tokens.
import { t } from '../../../platform/http/index.ts';

/** A service in the catalog of a token. */
const CatalogEntry = t.object({
  id: t.string(),
  type: t.string(),
  name: t.string(),
  endpoints: t.array(
    t.object({
      id: t.string(),
      interface: t.string(),
      region: t.nullable(t.string()),
      region_id: t.nullable(t.string()),
      url: t.string(),
    }),
  ),
});
export const Catalog = t.array(CatalogEntry);

t.name({ CatalogEntry });
