// Sends requests that the libraries of others signed, for EC2, S3 and OAuth1, and writes RESULTS.md.
import { packageVersion } from '../support/debian.ts';
import { runPythonSuite } from '../support/python-suite.ts';

const packages = ['python3-keystoneclient', 'python3-botocore', 'python3-oauthlib', 'python3-yaml'];

await runPythonSuite(
  {
    title: 'Signed requests',
    packages,
    what: 'Requests for EC2, S3 and OAuth1',
    about: () =>
      `Requests for EC2, S3 and OAuth1, each signed by the code of others: Debian's ${packages
        .slice(0, 3)
        .map((name) => `${name} ${packageVersion(name)}`)
        .join(', ')}. The tests in \`signers/\` only send them.`,
    path: import.meta.dirname,
    modules: ['signers.test_ec2', 'signers.test_s3', 'signers.test_oauth1'],
    prefix: 'signers',
    notServed: {},
  },
  import.meta.dirname,
);
