// Puts the parts of OAuth1 together.
import type { Seal } from '../../../platform/seal/index.ts';
import type { Access } from '../../access/context/index.ts';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { createOAuth1AccessTokens } from './access-tokens.rules.ts';
import { createOAuth1Consumers } from './consumers.rules.ts';
import { createOAuth1Requests } from './requests.ts';
import { createOAuth1Tokens } from './tokens.rules.ts';

export function createOAuth1(
  deps: Pick<Deps, 'db' | 'clock' | 'change' | 'config'> & {
    readonly access: Pick<Access, 'inspect' | 'roleGraph'>;
    readonly freshLogin: FreshLogin;
    readonly users: Pick<Users, 'find'>;
    readonly seal: Seal;
  },
) {
  const requests = createOAuth1Requests(deps);
  return {
    consumers: createOAuth1Consumers(deps),
    tokens: createOAuth1Tokens({ ...deps, requests }),
    accessTokens: createOAuth1AccessTokens({ ...deps, requests }),
  };
}

export type OAuth1 = ReturnType<typeof createOAuth1>;
