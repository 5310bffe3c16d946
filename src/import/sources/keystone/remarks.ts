// What a Keystone has that is not taken, so that nothing is dropped silently.
import type { SourceRemark } from '../../source.ts';
import { type SqlSource, textOf } from '../../sql/index.ts';

/** By table: what its rows are. */
const NOT_TAKEN: readonly (readonly [table: string, what: string, about: SourceRemark['about']])[] = [
  ['nonlocal_user', 'people of a directory: set the directory of their domain up here, they are read from there', 'hand'],
  ['id_mapping', 'ids of people and groups of a directory: they get other ids here', 'left_out'],
  ['whitelisted_config', 'settings of domains: store them here with the API of domain configuration', 'hand'],
  ['sensitive_config', 'secret settings of domains, such as passwords of directories: enter them here', 'hand'],
  ['identity_provider', 'identity providers', 'hand'],
  ['mapping', 'mappings of identity providers', 'hand'],
  ['federation_protocol', 'protocols of identity providers', 'hand'],
  ['federated_user', 'links of people to identity providers', 'left_out'],
  [
    'expiring_user_group_membership',
    'memberships that providers gave for a time: they come again with the next login',
    'left_out',
  ],
  ['consumer', 'consumers of OAuth1', 'left_out'],
  ['access_token', 'access tokens of OAuth1', 'left_out'],
  ['policy_association', 'associations of policies with endpoints and services', 'left_out'],
  ['registered_limit', 'registered limits', 'left_out'],
  ['limit', 'limits of projects and domains', 'left_out'],
];

export async function* remarksOf(source: SqlSource): AsyncGenerator<SourceRemark> {
  for (const [table, what, about] of NOT_TAKEN) {
    if ((await source.columnsOf(table)).size === 0) continue;
    const [row] = await source.query(`select count(*) as count from ${source.quoted(table)}`);
    const count = Number(textOf(row?.count) ?? 0);
    if (count > 0) yield { about, text: `${count} ${what}` };
  }
}
