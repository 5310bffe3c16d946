// The answer to what a caller may do.
import { t } from '../../../platform/http/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';

export const Allowed = t.object(
  { allowed: t.array(t.string()), links: ListLinks },
  {},
  {
    examples: [
      {
        allowed: ['create_consumer', 'identity:get_auth_projects', 'identity:list_users'],
        links: { self: 'http://localhost:5000/v3/auth/OS-ACCESS/allowed', previous: null, next: null },
      },
    ],
  },
);

t.name({ AllowedRules: Allowed });
