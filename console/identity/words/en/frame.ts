export const frame = {
  actIn: 'Act in',
  system: 'The whole system',
  domain: (name: string) => `Domain ${name}`,
  organization: (name: string) => `Organization ${name}`,
  unscoped: 'No organization',
};
