// Which field of a form a refusal of the service is about. Keystone's format of errors names it in the text only.

/** `user.name` → `name`, `consumer.redirect_uris.0` → `redirect_uris`. */
const last = (path: string): string =>
  path
    .split('.')
    .filter((step) => !/^\d+$/.test(step))
    .at(-1)!
    .toLowerCase();

/** The request named no organization, and the person has none of their own. */
export const NO_OWN_ORGANIZATION = /^This user has no default (organization)$/;

const NAMED = [
  /^Invalid input for field '([^']+)'/,
  /^Invalid value for '([^']+)'/,
  /Duplicate Entry found with (\w+) /,
  /Duplicate Entry: the (\w+) .* looks like/,
  NO_OWN_ORGANIZATION,
];
/** Everything that is wrong with a password. */
const PASSWORD = /^(?:The (?:new )?password (?:does not meet|cannot be|of this user cannot be)|Cannot change password)/;

/** The attribute that the text of an error names. */
export function attributeIn(message: string): string | undefined {
  if (PASSWORD.test(message)) return 'password';
  for (const named of NAMED) {
    const found = named.exec(message);
    if (found) return last(found[1]!);
  }
  return undefined;
}

export interface RefusableField {
  readonly name: string;
  /** What the API calls it, if that is another name. */
  readonly attribute?: string;
  /** Codes of errors that are about it. */
  readonly codes?: readonly string[];
}

/** Undefined if none of the fields is named: the form shows the refusal at its end. */
export function refusedField<Field extends RefusableField>(
  fields: readonly Field[],
  { message, code, field }: { readonly message: string; readonly code?: string | undefined; readonly field?: string | undefined },
): Field | undefined {
  const attribute = field === undefined ? attributeIn(message) : last(field);
  return fields.find(
    (one) => (code !== undefined && one.codes?.includes(code)) || attribute === (one.attribute ?? one.name).toLowerCase(),
  );
}
