// Which changes end tokens, or take roles from them, and what these tokens have in common: in Keystone's names. What Keystone has no name for, such
// as an application credential, is described by the next larger thing that it has one for. A description must not be empty: that would be all
// tokens.

type Common = Readonly<Record<string, string>>;
type Detail = Readonly<Record<string, unknown>>;
/** One for each description, such as for each of several users. None, when the change did not end tokens. */
type Describe = (targetId: string, detail: Detail) => readonly Common[];

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.flatMap((one) => textOf(one) ?? []) : []);

const target =
  (name: string): Describe =>
  (id) => [{ [name]: id }];

/** If one of these attributes was changed. */
const targetIf =
  (name: string, ...attributes: readonly string[]): Describe =>
  (id, { fields, new_password }) =>
    new_password === true || textsOf(fields).some((field) => attributes.includes(field)) ? [{ [name]: id }] : [];

/** Of a user in a project; of the user, if the event does not name the project. */
function ofOwner(_id: string, { user_id, project_id }: Detail): readonly Common[] {
  const [user, project] = [textOf(user_id), textOf(project_id)];
  return user === undefined ? [] : [{ user_id: user, ...(project === undefined ? {} : { project_id: project }) }];
}

/** Where a role was given. An inherited one was given in the projects of the domain, or in those below the project, which no name is for. */
function placeOf({ target: kind, target_id, inherited }: Detail): Common {
  const id = textOf(target_id);
  if (id === undefined || kind === 'system') return {};
  if (inherited === true) return kind === 'domain' ? { domain_id: id } : {};
  return kind === 'domain' ? { domain_scope_id: id } : { project_id: id };
}

/** A role that a group had is one of all tokens with it there: events do not name the members. */
function ofGrant(role_id: string, detail: Detail): readonly Common[] {
  const user = textOf(detail.user_id);
  return [{ role_id, ...(user === undefined ? {} : { user_id: user }), ...placeOf(detail) }];
}

const ofMembers: Describe = (_id, { user_id, user_ids }) =>
  [...textsOf([user_id]), ...textsOf(user_ids)].map((id) => ({ user_id: id }));

const ENDED: Readonly<Record<string, Describe>> = {
  'token.revoked': target('audit_id'),
  'user.deleted': target('user_id'),
  'user.updated': targetIf('user_id', 'enabled', 'password'),
  'user.password_changed': target('user_id'),
  'user.password_reset': target('user_id'),
  'user.tokens_revoked': target('user_id'),
  'user.deletion_scheduled': target('user_id'),
  'two_factor.enabled': target('user_id'),
  'two_factor.key_replaced': target('user_id'),
  'user.provider_unlinked': target('user_id'),
  'project.deleted': target('project_id'),
  'project.updated': targetIf('project_id', 'enabled'),
  'domain.deleted': target('domain_id'),
  'domain.updated': targetIf('domain_id', 'enabled'),
  'role.deleted': target('role_id'),
  'role.implication_deleted': (_id, { implied_role_id }) => textsOf([implied_role_id]).map((role_id) => ({ role_id })),
  'grant.revoked': ofGrant,
  'group.member_removed': ofMembers,
  'group.members_removed': ofMembers,
  'trust.deleted': target('OS-TRUST:trust_id'),
  'oauth1_access_token.deleted': target('OS-OAUTH1:access_token_id'),
  'oauth1_consumer.deleted': target('OS-OAUTH1:consumer_id'),
  'application_credential.deleted': ofOwner,
  'credential.updated': (id, detail) => (detail.type === 'ec2' ? ofOwner(id, detail) : []),
  'credential.deleted': (id, detail) => (detail.type === 'ec2' ? ofOwner(id, detail) : []),
};

/** Actions of audit events. */
export const ENDING_ACTIONS: readonly string[] = Object.keys(ENDED);

export const commonOf = (action: string, targetId: string, detail: Detail): readonly Common[] =>
  ENDED[action]?.(targetId, detail) ?? [];
