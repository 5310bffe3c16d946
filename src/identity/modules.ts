// Builds the rooms, each from those below it. A room tells those above it by news (ground/resource/news.ts).
import { buildAccess } from './access/build.ts';
import { createRankGuard } from './applications/app-roles/index.ts';
import { buildApplications } from './applications/build.ts';
import { buildCatalog } from './catalog/build.ts';
import { buildDelegation } from './delegation/build.ts';
import { buildDirectory } from './directory/build.ts';
import { buildGround } from './ground/build.ts';
import type { Database } from './ground/database/index.ts';
import type { ModuleOptions } from './ground/module-options.ts';
import { buildLogin } from './login/build.ts';
import { createNouns } from './nouns.ts';
import { buildOpenid } from './openid/build.ts';
import { buildOperations } from './operations/build.ts';
import { buildPages } from './pages/build.ts';
import { buildProvisioning } from './provisioning/build.ts';
import { buildRoleCredentials } from './role-credentials/build.ts';
import { createRevocation } from './role-credentials/issued/index.ts';
import { createCredentialTypes } from './role-credentials/types/index.ts';

export async function buildModules(db: Database, options: ModuleOptions) {
  const credentialTypes = createCredentialTypes({ db, clock: options.clock });
  const ground = buildGround(db, options, createRevocation({ db, credentialTypes }));
  const access = buildAccess(ground);
  const directory = buildDirectory(access, createRankGuard(access));
  const catalog = await buildCatalog(directory, createNouns(directory));
  const delegation = buildDelegation(catalog);
  const applications = buildApplications(delegation);
  const login = await buildLogin(applications);
  const openid = buildOpenid(login);
  const provisioning = buildProvisioning(openid);
  const roleCredentials = buildRoleCredentials(provisioning, credentialTypes);
  return buildPages(buildOperations(roleCredentials));
}
