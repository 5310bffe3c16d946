// Credential configurations: a type of credential in one format. Their ids and scopes are in offers and in wallets: never change how they
// are made.
import { ISSUED_FORMATS, type IssuedFormatName } from '../../../verifiable/issuing/index.ts';
import { CREDENTIAL_SCOPE, type CredentialCatalog } from '../../openid/provider/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import type { CredentialType, CredentialTypes } from '../types/index.ts';

export interface CredentialConfiguration {
  readonly id: string;
  readonly type: CredentialType;
  readonly format: IssuedFormatName;
}

/** Ids of types have no dots. */
export const configurationId = (typeId: string, format: IssuedFormatName): string => `${typeId}.${ISSUED_FORMATS[format].suffix}`;

/** All formats of a type have the same scope. */
export const scopeOf = (typeId: string): string => `${CREDENTIAL_SCOPE}${typeId}`;

const configurationsOf = (type: CredentialType): CredentialConfiguration[] =>
  type.formats.map((format) => ({ id: configurationId(type.id, format), type, format }));

const needsDocumentSigner = ({ format }: CredentialConfiguration): boolean => ISSUED_FORMATS[format].needsDocumentSigner;

export function createConfigurations({
  types,
  identity,
  isHaip,
}: {
  readonly types: Pick<CredentialTypes, 'find' | 'list'>;
  readonly identity: Pick<IssuerIdentity, 'signsDocuments'>;
  readonly isHaip: boolean;
}) {
  /** Those in which types can be issued now: the operator may have brought another certificate since they were made. */
  async function of(all: readonly CredentialType[]): Promise<CredentialConfiguration[]> {
    const found = all.flatMap(configurationsOf);
    if (!found.some(needsDocumentSigner) || (await identity.signsDocuments())) return found;
    return found.filter((one) => !needsDocumentSigner(one));
  }

  /** Undefined for a type that is not issued (any more). */
  async function find(id: string): Promise<CredentialConfiguration | undefined> {
    const [typeId = '', suffix, ...rest] = id.split('.');
    if (suffix === undefined || rest.length > 0 || typeId === '') return undefined;
    const type = await types.find(typeId);
    return type?.enabled ? (await of([type])).find((one) => one.id === id) : undefined;
  }

  const all = async (): Promise<readonly CredentialConfiguration[]> => of(await types.list({ enabled: true }));

  const catalog: CredentialCatalog = {
    isHaip,
    scopes: async () => [...new Set((await all()).map(({ type }) => scopeOf(type.id)))],
    has: async (id) => (await find(id)) !== undefined,
    async nameOf(asked) {
      if (!asked.startsWith(CREDENTIAL_SCOPE)) return (await find(asked))?.type.name;
      return (await types.find(asked.slice(CREDENTIAL_SCOPE.length)))?.name;
    },
  };

  return { of, find, all, catalog };
}

export type Configurations = ReturnType<typeof createConfigurations>;
