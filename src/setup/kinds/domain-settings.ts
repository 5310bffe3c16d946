// The settings of a domain that are stored for it, its directory among them.
import { domainOptions, LEADS_THE_PASSWORD, OF_MACHINE } from '../../identity/directory/domain-settings/index.ts';
import type { Body } from '../client.ts';
import type { Key } from '../model.ts';
import { pathId, type State } from '../state.ts';
import type { KindDefinition } from './kind.ts';
import type { SaidValue } from './setting-values.ts';
import { quote } from './shared.ts';
import { type Listed, storedSettings } from './stored-settings.ts';

const pathOf = (domainId: string): string => `/v3/OS-SERVICE/domains/${pathId(domainId)}/settings`;

const ofDirectory = 'the people of this domain are in a directory, which says it';
/** `The operator has fixed it in line 2 of x.conf.` */
const clauseOf = (sentence: string): string => sentence[0]!.toLowerCase() + sentence.slice(1).replace(/\.$/, '');

const { about, check, definition } = storedSettings({
  settings: new Map(domainOptions.filter(({ name }) => !OF_MACHINE.has(name)).map(({ name, setting }) => [name, setting])),
  source: 'domain',
  led: { password: 'ldap.password', by: LEADS_THE_PASSWORD },
  whyFixed({ fixed, source }) {
    if (fixed) return clauseOf(fixed);
    return source === 'directory' ? ofDirectory : undefined;
  },
  whyMissing: 'the service does not show it to you, or is of another version',
});

/** Keys, for hints. */
export const domainSettingKeys = Object.keys(definition.fields);

/** Whether the people and groups of a domain are in a directory. */
export async function isInDirectory(state: State, domainId: string): Promise<boolean> {
  const all = (await state.list(pathOf(domainId))) as unknown as readonly Listed[];
  return all.some(({ key, value }) => key === 'identity.driver' && value === 'ldap');
}

export const domain_settings: KindDefinition = {
  ...definition,
  label: ([domain]) => `settings of domain ${quote(domain)}`,
  about: 'What the domain has of its own, by keys. null: as the service has it.',
  keyOf(entry: Readonly<Record<string, SaidValue>>, above: Key, naming) {
    check(entry, naming);
    return above;
  },
  read: (state) =>
    state.eachDomain(async ({ id, name }) => {
      const body = (await state.list(pathOf(id))) as unknown as Body;
      state.add('domain_settings', [name], body, { url: pathOf(id), ...about(body, `${quote(name)}/`) });
    }),
  /** Of a domain that did not exist when the plan was made. */
  async create({ state: { client }, ids, secrets }, wanted) {
    const url = pathOf(ids('domain', wanted.key));
    await client.send('PATCH', url, { settings: definition.sent(wanted.fields, wanted, secrets) });
    return url;
  },
  rule: () => 'identity:update_domain_settings',
  subject: ({ key }, id) => ({ domain_id: id('domain', key) }),
};
