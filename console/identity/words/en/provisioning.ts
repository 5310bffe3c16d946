export const provisioning = {
  title: 'Provisioning',
  intro:
    'Entra, Okta and others create, change and disable people here by SCIM. Each has a connection with a token of its own, for one domain.',
  create: 'New connection',
  createText: 'The connection may change the people, groups and organizations of one domain, and nothing else.',
  name: 'Name',
  domain: 'Domain',
  domainHint: 'Best a domain of its own: then it cannot change other accounts.',
  made: 'Made',
  lastUsed: 'Last used',
  never: 'never',
  empty: 'There is no connection yet. Make one, then enter its token and the address below in Entra or Okta.',
  madeTitle: 'The connection is ready',
  token: 'Token',
  address: 'Address (tenant URL, base URL)',
  valuesTitle: 'What to enter there',
  entra:
    'Entra: Enterprise applications, Provisioning, New configuration. “Tenant URL” is the address, “Secret token” is the token.',
  okta: 'Okta: Provisioning, Configure API Integration. “SCIM 2.0 Base Url” is the address, “OAuth Bearer Token” is the token, the unique identifier is userName.',
  removeTitle: (name: string) => `Remove the connection ${name}`,
  removeText: 'Its token ends at once. People and groups that it made stay.',
};
