export const frame = {
  actIn: 'Act in',
  system: 'The whole system',
  domain: (name: string) => `Domain ${name}`,
  organization: (name: string) => `Organization ${name}`,
  unscoped: 'No organization',
  noOwnOrganization: {
    title: 'This account has no organization of its own',
    text: 'Name an organization, or give the account a default organization first (People).',
  },
  roleLost: (before: string, now: string) => `You have no role any more in: ${before}. You act now in: ${now}.`,
};
