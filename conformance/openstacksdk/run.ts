// Runs the functional tests of openstacksdk about identity, and writes RESULTS.md.
import { runPythonSuite } from '../support/python-suite.ts';

/** Of `openstack.tests.functional.cloud`: those of its tests that need only an identity service. */
const CLOUD = ['domain', 'endpoints', 'groups', 'identity', 'project', 'services', 'users'];

await runPythonSuite(
  {
    title: 'openstacksdk',
    packages: ['python3-openstacksdk', 'python3-oslotest', 'python3-testtools', 'python3-fixtures'],
    what: 'Every test of `openstack.tests.functional.identity`, and those of `openstack.tests.functional.cloud` about identity',
    modules: [
      'openstack.tests.functional.identity.v3.test_application_credential',
      ...CLOUD.map((part) => `openstack.tests.functional.cloud.test_${part}`),
    ],
    prefix: 'openstack.tests.functional',
    notServed: {},
  },
  import.meta.dirname,
);
