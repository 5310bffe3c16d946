// A service with a domain whose users are in a directory that the test starts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Attribute, Change } from 'ldapts';
import { publicId } from '../../src/identity/directory/ldap/public-id.ts';
import { assertOk } from './answers.ts';
import { ADMIN_PASSWORD, type ApiOptions, type DatabaseKind, TestApi, uniqueName } from './api.ts';
import { ldapSection } from './directory.ts';
import { passwordOf, Slapd, type SlapdOptions } from './slapd.ts';

export const replace = (type: string, values: string[]): Change =>
  new Change({ operation: 'replace', modification: new Attribute({ type, values }) });

/** The administrator's token ends when the clock is moved. */
export async function renewAdministrator(api: TestApi): Promise<void> {
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
}

export interface DirectoryDomainOptions extends ApiOptions {
  readonly slapd?: SlapdOptions;
  /** Settings of [ldap]. */
  readonly ldap?: Readonly<Record<string, string>>;
  /** The server of the domain; slapd unless told otherwise. */
  readonly url?: () => string;
}

export class DirectoryDomain {
  readonly api: TestApi;
  readonly slapd: Slapd;
  readonly name = uniqueName('Staff');
  id = '';

  constructor(kind: DatabaseKind, options: DirectoryDomainOptions = {}) {
    const dir = mkdtempSync(join(tmpdir(), 'gatehouse-directories-'));
    const settings = { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: dir, ...options.settings };
    this.slapd = new Slapd(options.slapd);
    this.api = new TestApi(kind, { ...options, settings });
    before(async () => {
      await this.slapd.start();
      const section = ldapSection(options.url?.() ?? this.slapd.url, options.ldap);
      writeFileSync(join(dir, `keystone.${this.name}.conf`), section);
      await this.api.start();
      this.id = (await this.api.make('domain', { name: this.name })).id;
    });
    after(async () => {
      await this.api.stop();
      await this.slapd.stop();
      rmSync(dir, { recursive: true });
    });
  }

  idOf = (uid: string): string => publicId(this.id, 'user', uid);
  groupId = (cn: string): string => publicId(this.id, 'group', cn);
  person = (user: string, password = passwordOf(user)) => ({ name: user, password, domain: { id: this.id } });
  logIn = (user: string, password = passwordOf(user)) => this.api.authenticate(this.person(user, password));
  user = async (uid: string): Promise<any> => assertOk(await this.api.get(`/v3/users/${this.idOf(uid)}`)).user;
  enabledUsers = async (): Promise<string[]> => {
    const { users } = assertOk(await this.api.get(`/v3/users?domain_id=${this.id}&enabled=true`));
    return users.map(({ name }: { name: string }) => name).sort();
  };

  /** What was read is too old afterwards, and so it is read again. */
  async synchronize(): Promise<void> {
    this.api.clock.advance(3600);
    await renewAdministrator(this.api);
    assertOk(await this.api.get(`/v3/users?domain_id=${this.id}&limit=1`));
  }
}
