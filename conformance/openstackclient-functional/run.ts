// Runs the functional tests of python-openstackclient for the v3 identity API, and writes RESULTS.md.
import { runPythonSuite } from '../support/python-suite.ts';

/** The longest first, so that the last does not run alone. */
const PARTS = [
  'registered_limit',
  'limit',
  'role',
  'group',
  'endpoint',
  'project',
  'region',
  'user',
  'domain',
  'service',
  'idp',
  'service_provider',
  'application_credential',
  'catalog',
  'token',
];

await runPythonSuite(
  {
    title: 'python-openstackclient, functional tests',
    packages: ['python3-openstackclient', 'python3-tempest', 'python3-testtools', 'python3-fixtures'],
    what: 'Every test of `openstackclient.tests.functional.identity.v3`',
    modules: PARTS.map((part) => `openstackclient.tests.functional.identity.v3.test_${part}`),
    prefix: 'openstackclient.tests.functional.identity',
    notServed: {},
  },
  import.meta.dirname,
);
