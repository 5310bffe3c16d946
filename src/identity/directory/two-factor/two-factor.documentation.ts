// Documentation of the query parameters that name a user.
export const USER_DOCUMENTATION = {
  user_id: 'Id of the user. Alternatively, user_name with a domain.',
  user_name: 'Name of the user. Needs domain_id or domain_name.',
  domain_id: 'Id of the domain of user_name.',
  domain_name: 'Name of the domain of user_name.',
};
