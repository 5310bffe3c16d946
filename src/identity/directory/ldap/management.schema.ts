// The directory of a domain, as those who look after it see it, on the wire.
import { t } from '../../../platform/http/index.ts';

const Reading = t.object({
  began_at: t.string(),
  ended_at: t.string(),
  failure: t.nullable(t.string({ description: 'Why it was not read. Null: it was.' })),
  people: t.integer(),
  groups: t.integer(),
  left: t.integer({ description: 'People who were in the directory before, and are not any more.' }),
});

const DomainDirectory = t.object({
  connected: t.boolean(),
  operated: t.boolean({ description: 'The operator has connected it in the file of the domain.' }),
  people: t.integer({ description: 'Accounts here whose entries are in the directory.' }),
  groups: t.integer(),
  last_read_at: t.nullable(t.string({ description: 'When it was last read as a whole.' })),
  reading: t.boolean({ description: 'It is being read, by the process that answers.' }),
  last_reading: t.nullable(Reading),
});
export const DomainDirectoryEnvelope = t.envelope('directory', DomainDirectory);

const DirectoryTest = t.object({
  settings: t.record(t.nullable(t.string({ maxLength: 65_536 })), {
    description:
      'Settings that are not stored yet, by key as in the list of settings of a domain. Those that are not named are as they are stored.',
  }),
});
export const DirectoryTestEnvelope = t.envelope('test', DirectoryTest);

const DirectoryTestResult = t.object({
  results: t.array(
    t.object({
      step: t.oneOf('resolve', 'connect', 'tls', 'bind', 'user_tree', 'users', 'group_tree', 'groups'),
      server: t.nullable(t.string()),
      ok: t.boolean(),
      why: t.nullable(t.string({ description: 'In the words of the system or of the server.' })),
    }),
  ),
  users: t.array(
    t.object({ name: t.string(), email: t.nullable(t.string()), enabled: t.boolean(), local_id: t.string(), dn: t.string() }),
    { description: 'Up to ten, as they would appear.' },
  ),
  groups: t.array(t.object({ name: t.string(), description: t.string(), local_id: t.string(), dn: t.string() })),
});
export const DirectoryTestResultEnvelope = t.envelope('test', DirectoryTestResult);

t.name({
  DirectoryReading: Reading,
  DomainDirectory,
  DomainDirectoryEnvelope,
  DirectoryTest,
  DirectoryTestEnvelope,
  DirectoryTestResult,
  DirectoryTestResultEnvelope,
});
