// What the documentation says of whom a request is about, where the path does not.
export const WHOSE = {
  user_id: 'The user: this, or user_name with a domain.',
  user_name: 'The name of the user, with domain_id or domain_name.',
  domain_id: 'The domain of user_name.',
  domain_name: 'The same by its name.',
};
