// Runs the functional tests of python-keystoneclient for the v3 API, and writes RESULTS.md.
import { runPythonSuite } from '../support/python-suite.ts';

const PARTS = [
  'credentials',
  'domain_configs',
  'domains',
  'ec2',
  'endpoint_filters',
  'endpoint_groups',
  'endpoints',
  'federation',
  'groups',
  'implied_roles',
  'policies',
  'projects',
  'regions',
  'roles',
  'services',
  'users',
];

await runPythonSuite(
  {
    title: 'python-keystoneclient',
    packages: ['python3-keystoneclient', 'python3-os-client-config', 'python3-testtools', 'python3-fixtures'],
    what: 'Every test of `keystoneclient.tests.functional` for the v3 API',
    modules: [
      'keystoneclient.tests.functional.test_base',
      ...PARTS.map((part) => `keystoneclient.tests.functional.v3.test_${part}`),
    ],
    prefix: 'keystoneclient.tests.functional',
    notServed: {},
  },
  import.meta.dirname,
);
