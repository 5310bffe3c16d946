const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export const overview = {
  title: 'Overview',
  welcome: (name: string) => `Welcome, ${name}`,
  useMenu: 'The menu shows what you may manage. Choose another role at the top of the page if you act in several.',
  moreThan: 'over ',
  counts: {
    users: (count: number): string => (count === 1 ? 'person' : 'people'),
    groups: (count: number): string => (count === 1 ? 'group' : 'groups'),
    projects: (count: number): string => (count === 1 ? 'organization' : 'organizations'),
    domains: (count: number): string => (count === 1 ? 'domain' : 'domains'),
    applications: (count: number): string => (count === 1 ? 'application' : 'applications'),
  },
  logins: 'Sign-ins of the last day',
  loginsText: (logins: string, refused: string) => `Signed in: ${logins}. Refused: ${refused}.`,
  hour: (time: string, logins: string, refused: string) => `${time}: ${logins} signed in, ${refused} refused`,
  hourTitle: 'Hour',
  loginsLegend: 'Signed in',
  refusedLegend: 'Refused',
  asTable: 'As a table',
  attentionTitle: 'What needs attention',
  nothing: 'Nothing at present.',
  look: 'Look',
  severities: { critical: 'Urgent', warning: 'Soon', info: 'Note' },
  attention: {
    administrator_without_factor: (name: string, _count: number) =>
      `The administrator ${name} has neither a second factor nor a passkey.`,
    scim_connection_fails: (name: string, count: number) =>
      `Provisioning by ${name}: ${counted(count, 'request was', 'requests were')} refused in the last day.`,
    scim_connection_quiet: (name: string, count: number) =>
      `Provisioning by ${name} was not used for ${counted(count, 'day', 'days')}.`,
    directory_away: (name: string, _count: number) => `The directory (LDAP) of the domain ${name} does not answer.`,
    certificate_expires: (_name: string, count: number) => `The TLS certificate expires in ${counted(count, 'day', 'days')}.`,
    issuer_certificate_expires: (_name: string, count: number) =>
      `The certificate of the issuer of credentials expires in ${counted(count, 'day', 'days')}.`,
    verifier_certificate_expires: (_name: string, count: number) =>
      `The certificate of requests to wallets expires in ${counted(count, 'day', 'days')}.`,
    password_file: (_name: string, _count: number) =>
      'The file admin-password is still in the data folder. Read it, then remove it.',
    no_backup: (_name: string, count: number) =>
      count > 0 ? `The last back-up is ${counted(count, 'day', 'days')} old.` : 'No back-up was made yet.',
    backup_failed: (_name: string, _count: number) => 'The last back-up failed.',
    registrations_wait: (_name: string, count: number) =>
      count >= 100 ? 'More than 100 people wait for approval.' : `${counted(count, 'person waits', 'people wait')} for approval.`,
    imported_hashes: (_name: string, count: number) =>
      `${counted(count, 'person still has an imported hash', 'people still have imported hashes')}.`,
    replica_silent: (_name: string, count: number) =>
      `${counted(count, 'process', 'processes')} of the service fell silent. Whoever stays so is forgotten after an hour.`,
    delivery_failed: (_name: string, count: number) => `${counted(count, 'message', 'messages')} could not be delivered.`,
  },
  serviceTitle: 'The service',
  version: 'Version',
  health: 'Health',
  healths: { ok: 'Good', unavailable: 'The database does not answer' },
  latency: (milliseconds: number) => `(database: ${milliseconds} ms)`,
};
