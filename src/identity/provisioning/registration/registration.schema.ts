// Wire format of Keyrock's registration API.
import { t } from '../../../platform/http/index.ts';
import { newUserFields, Password, shownUserFields, User } from '../../directory/users/index.ts';

export const RegisterUser = t.envelope(
  'user',
  t.open(newUserFields.required, {
    ...newUserFields.optional,
    username: t.string({ minLength: 1, pattern: '\\S', description: 'Name of the organizations. Without it, the name is used.' }),
    enabled: t.unknown({ description: 'Ignored: the user is disabled until the activation.' }),
    default_project_id: t.unknown({ description: 'Ignored: it is the new organization.' }),
    cloud_project_id: t.unknown({ description: 'Ignored: it is the new organization.' }),
    activation_key: t.unknown({ description: 'Ignored.' }),
  }),
);

/** Other attributes are ignored. */
export const ResetPassword = t.envelope('user', t.open({ password: Password }));

const { required, optional } = shownUserFields;
const registered = {
  username: t.string(),
  default_project_id: t.string({ description: 'The organization named like the user.' }),
  cloud_project_id: t.string({ description: 'The organization for the cloud.' }),
  activation_key: t.string({ description: 'Shown only here.' }),
};
export const RegisteredUser = t.envelope('user', t.open({ ...required, ...registered }, { ...optional, ...registered }));

export const ActivationKey = t.envelope('activation_key', t.object({ id: t.string() }));
export const ResetToken = t.envelope('reset_token', t.object({ id: t.string(), user: User }));

t.name({
  RegisterUser,
  ResetPassword,
  RegisteredUserEnvelope: RegisteredUser,
  ActivationKeyEnvelope: ActivationKey,
  ResetTokenEnvelope: ResetToken,
});
