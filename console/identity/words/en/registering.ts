/** Who may make an account. */
export const registering = {
  intro:
    'Who may make an account without an administrator: nobody, those who were invited, or everybody with an address that they read. The link in the mail confirms who they are; if you want, an administrator decides after that.',
  page: 'The page where people register',
  terms: 'Change the address of the terms of use',
  noTerms: 'Set the address of the terms of use',
};
