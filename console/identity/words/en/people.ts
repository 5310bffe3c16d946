export const people = {
  title: 'People',
  what: 'people by name, e-mail or id',
  name: 'User name',
  email: 'E-mail',
  state: 'State',
  enabled: 'Enabled',
  disabled: 'Disabled',
  empty: 'There is nobody here yet.',
};
