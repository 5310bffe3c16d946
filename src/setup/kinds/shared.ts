// What several kinds share: names, references, fields, words.
import { type Schema, t } from '../../platform/http/index.ts';
import type { Body } from '../client.ts';
import type { Key } from '../model.ts';
import { type State, textOf } from '../state.ts';
import { shown } from '../text.ts';
import type { Field, NameInDomain } from './kind.ts';

/** The service removes blanks around these names. */
const trimmed = (maxLength: number): Schema<string> => t.string({ minLength: 1, maxLength, pattern: '^\\S([\\s\\S]*\\S)?$' });
export const Name64 = trimmed(64);
export const Name255 = trimmed(255);
export const AnyName = t.string({ minLength: 1, maxLength: 255, pattern: '\\S' });
export const Text = t.nullable(t.string());
export const RegionId = t.string({ minLength: 1, maxLength: 255, pattern: '^[^/]+$' });

const File = t.string({ minLength: 1, maxLength: 1024, description: 'A path, from the folder of this file or of --secrets.' });
export const FileReference = t.object(
  { file: File },
  {},
  { description: 'A new file, which only the owner may read. The generated secret is written to it.' },
);
/** Secrets are compared by whether there is one: nobody shows them. */
export const SECRET = '(secret)';
export interface FileTarget {
  readonly file: string;
}
export const SecretReference: Schema<{ file?: string; variable?: string } | null> = {
  type: ['object', 'null'],
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    file: File,
    variable: t.string({ pattern: '^SETUP_[A-Z0-9_]{1,100}$', description: 'An environment variable that begins with SETUP_.' }),
  },
  description: 'Where the secret is: a file or an environment variable. It is never in this file.',
};

const inDomain = (of: Schema<string>) => t.object({ name: of, domain: Name64 });
export const OrganizationReference = inDomain(Name64);
export const GroupReference = inDomain(Name255);
export const UserReference = inDomain(AnyName);
export const nameKey = ({ domain, name }: NameInDomain): readonly [string, string] => [domain, name];
export const nameOf = ([domain, name]: Key) => ({ name, domain });

/** The name of a role of the service, or the name and domain of a role of a domain. */
export const RoleReference: Schema<RoleRef> = {
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 255,
  required: ['name', 'domain'],
  properties: { name: Name255, domain: Name64 },
  additionalProperties: false,
  description: 'The name of a role; for a role of a domain: its name and domain.',
};
export type RoleRef = string | NameInDomain;
export const roleKey = (role: RoleRef): Key => (typeof role === 'string' ? [null, role] : [role.domain, role.name]);
export const roleReference = ([domain, name]: Key): unknown => (domain === null ? name : { name, domain });

/** A role or permission of the same application by its name, or of another one. */
export const PartReference: Schema<PartRef> = {
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 255,
  required: ['name', 'application'],
  properties: { name: AnyName, application: AnyName },
  additionalProperties: false,
  description: 'Its name; if it belongs to another application: its name and that application.',
};
export type PartRef = string | { readonly name: string; readonly application: string };
export const partKey = (application: Key[number], part: PartRef): Key =>
  typeof part === 'string' ? [application, part] : [part.application, part.name];
export const partReference = (application: Key[number], [other, name]: Key): unknown =>
  other === application ? name : { name, application: other };

/** Applications of the service itself: the internal roles, and the wallet node. */
export const OWN_APPLICATIONS: ReadonlySet<string> = new Set(['idm_admin_app', 'gatehouse_wallet']);
/** Whether what belongs to an application is read. */
export const isInScope = (state: State, key: Key[number]): boolean =>
  state.need.applications?.has(String(key)) ?? !OWN_APPLICATIONS.has(state.idOf('application', [key]) ?? '');

/** A description that is never null. */
export const description: Field = { schema: t.string(), read: (body) => textOf(body, 'description') };
/** Null without one. */
export const nullableText: Field = { schema: Text, initial: null };
export const enabled: Field = { schema: t.boolean(), initial: true };

export const isImmutable = ({ options }: Body): boolean => (options as { immutable?: boolean } | undefined)?.immutable === true;
export const immutable: Field = {
  schema: t.boolean({ description: 'It cannot be changed or deleted until this is false.' }),
  api: 'options',
  read: isImmutable,
  send: (value) => ({ immutable: value }),
};
export const keepImmutable = (body: Body) => (isImmutable(body) ? { keep: 'it is immutable' } : {});
export const BUILT_IN = { keep: 'it is built in', builtIn: true };

export const lowerCase = (all: readonly string[]): string[] => [...new Set(all.map((one) => one.toLowerCase()))];

type Part = Key[number] | undefined;
export const quote = (part: Part): string => shown(String(part));
export const plain = (part: Part): string => shown(String(part), false);
export const labelOfApplication = (key: Part): string =>
  String(key).startsWith('#') ? `application ${plain(String(key).slice(1))}` : `application ${quote(key)}`;
export const ofDomain = (domain: Part): string => (domain === null ? '' : ` of domain ${quote(domain)}`);
export const inRegion = (region: Part): string => (region === null ? '' : ` in ${quote(region)}`);
