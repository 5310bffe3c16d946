// The configuration of a domain on the wire.
import { t } from '../../../platform/http/index.ts';

const DomainConfig = t.record(t.unknown(), {
  description:
    'Groups of options, as in `{"ldap": {"url": "ldap://directory.example.org"}}`; of a single option only its name and value.',
});
export const DomainConfigEnvelope = t.envelope('config', DomainConfig);

t.name({ DomainConfig, DomainConfigEnvelope });
