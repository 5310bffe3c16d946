/** Exceptions from the rules for accounts, by the names of the API. */
export const options = {
  title: 'Exceptions from the rules for accounts',
  text: 'For single accounts, such as those of programs. The rules themselves are settings of the service.',
  ignore_password_expiry: 'The password does not expire',
  ignore_lockout_failure_attempts: 'Wrong passwords do not lock the account',
  ignore_change_password_upon_first_use: 'A password set by an administrator may be kept',
  ignore_user_inactivity: 'Not disabled when it is not used',
  ignore_two_factor_policy: 'Needs no second factor, even where everybody must have one',
  lock_password: 'The person may not change the password',
  lock_password_hint: 'Administrators still can.',
  multi_factor_auth_enabled: 'One of the combinations below is needed to get a token',
  multi_factor_auth_rules: 'Combinations of login methods',
  multi_factor_auth_rules_hint: 'One a line, methods separated by commas, such as: password, totp. Empty: any method will do.',
  badCombination: (line: string) => `“${line}” is not a list of methods: letters and underscores, separated by commas.`,
};
