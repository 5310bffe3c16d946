export const frame = {
  actIn: 'Act in',
  system: 'The whole system',
  domain: (name: string) => `Domain ${name}`,
  organization: (name: string) => `Organization ${name}`,
  unscoped: 'No organization',
  roleLost: (before: string, now: string) => `You have no role any more in: ${before}. You act now in: ${now}.`,
};
