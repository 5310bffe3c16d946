// Documents generated from the code: written by `npm run docs`, compared by `npm run check`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { settings as settingWords } from '../console/identity/words/en/settings.ts';
import { backupMetrics } from '../src/data-backups.ts';
import { domainSections } from '../src/identity/directory/domain-settings/index.ts';
import { identityFaults } from '../src/identity/ground/faults.ts';
import { machineSettings, SERVICE_SETTINGS, type SettingGroup } from '../src/identity/ground/settings/index.ts';
import { identityMetrics } from '../src/identity/metrics.ts';
import type { Settings } from '../src/platform/config/index.ts';
import type { FaultTable } from '../src/platform/faults/index.ts';
import { type MetricDefinitions, processMetrics, requestTimes } from '../src/platform/metrics/index.ts';
import { sharedSettings } from '../src/settings.ts';
import { setupJsonSchema } from '../src/setup/index.ts';
import { walletFaults } from '../src/wallet/ground/faults.ts';
import { walletSettings } from '../src/wallet/ground/settings.ts';
import { walletMetrics } from '../src/wallet/metrics.ts';
import { problemCode } from '../src/wallet/resource/error-format.ts';
import { needlessReasons, pairsPage } from './keystone-pairs.ts';
import { makeIdentityDocument } from './openapi/identity/document.ts';
import { makeWalletDocument } from './openapi/wallet/document.ts';

/** `fields`: what the console calls them. */
function settingsTable(settings: Settings, fields?: Readonly<Record<string, string>>): string {
  const field = (name: string): string => (fields ? ` ${name} |` : '');
  const rows = Object.values(settings).map((setting) => {
    const { key, unit, about, secret } = setting;
    const shown = setting.write(setting.fallback);
    return `| \`${key}\` |${field(fields?.[key] ?? '')} ${shown === '' ? 'unset' : `\`${shown}\``} | ${unit} | ${about}${secret ? ` Also as \`${key}${key === key.toLowerCase() ? '_file' : '_FILE'}\`.` : ''} |`;
  });
  return [
    `| Key |${field('In the console')} Default | Value | Meaning |`,
    `|---|${fields ? '---|' : ''}---|---|---|`,
    ...rows,
  ].join('\n');
}

/** As the console calls them. */
const { groups: GROUP_TITLES, names: FIELDS } = settingWords;

const domainTables = (): string =>
  Object.entries(domainSections)
    .map(([name, section]) => `### [${name}]\n\n${settingsTable(section)}`)
    .join('\n\n');

const groupTables = (): string =>
  Object.entries(SERVICE_SETTINGS)
    .map(([group, settings]) => `### ${GROUP_TITLES[group as SettingGroup]}\n\n${settingsTable(settings, FIELDS)}`)
    .join('\n\n');

const configPage = (): string => `# Settings

Generated from the code by \`npm run docs\`.

The environment overrides the file named by \`GATEHOUSE_CONFIG_FILE\`, and the file overrides the default. The file has lines of \`KEY=value\`; \`#\` begins a comment. Any other line and any repeated key is an error.
An unknown key is an error that suggests the nearest key. A secret can also be given as the path of a file, under \`KEY_FILE\`.
\`gatehouse config\` prints the current settings, with secrets masked.

## Both services

${settingsTable(sharedSettings)}

## Identity service

What must be known before the database can be read, and the paths of files:

${settingsTable(machineSettings)}

## Identity service, changed while it runs

Administrators change these in the console under *Service*, *Settings*, by [the API](guide/service.md#settings), or with a [set-up file](guide/setup-file.md#settings). They take effect at once, on every replica within a second. What the
environment or the file says is fixed and cannot be changed there.

${groupTables()}

## Domains

Rules of passwords, registration, passkeys, wallets and accounts, and the directory, are also [changed while the service runs](guide/service.md#settings-of-a-domain): in the console at the domain, *Sign-in* and *Directory*. What follows fixes them: files \`keystone.<domain name>.conf\` in the folder \`GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR\`: sections of \`key = value\`, as Keystone reads them from its
\`domain_config_dir\`. A misspelled section or key is an error with the file, the line and the nearest name.

${domainTables()}

## Wallet node

${settingsTable(walletSettings)}
`;

function faultRows(faults: FaultTable, shown: (code: string, status: number) => string): string {
  return Object.entries(faults)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(
      ([code, { status, text }]) =>
        `| ${status} | \`${shown(code, status)}\` | ${text.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`,
    )
    .join('\n');
}

function errorsPage(): string {
  return `# Errors

Generated from the code by \`npm run docs\`.

## Identity service

The format is Keystone's: \`{"error": {"code": 404, "title": "Not Found", "message": "..."}}\`.
The code in the second column appears in the log and in the source (\`src/identity/ground/faults.ts\`). Clients get the status and the message.

| Status | Code | Message |
|---|---|---|
${faultRows(identityFaults, (code) => code)}

## Wallet node

Problem details (RFC 9457), \`application/problem+json\`: \`{"type": "urn:gatehouse:problem:<code>", "title", "status", "detail", "instance", "code"}\`.
The code is stable and machine-readable. \`instance\` is the request id, which the log contains, too. \`errors\` names invalid fields.

| Status | Code | Detail |
|---|---|---|
${faultRows(walletFaults, problemCode)}
`;
}

function metricsTable(metrics: MetricDefinitions): string {
  const rows = Object.values(metrics)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help, labels = {} }) => {
      const meanings = Object.entries(labels).map(([label, values]) => ` \`${label}\`: ${values}.`);
      return `| \`${name}\` | ${type} | ${help}.${meanings.join('')} |`;
    });
  return ['| Metric | Type | Meaning and labels |', '|---|---|---|', ...rows].join('\n');
}

const metricsPage = (): string => `# Metrics

Generated from the code by \`npm run docs\`.

Prometheus reads them at \`http://127.0.0.1:2112/metrics\` (\`GATEHOUSE_METRICS_HOST\`, \`GATEHOUSE_METRICS_PORT\`). [What to watch](guide/monitoring.md) says what they are for;
a dashboard and alert rules are in [packaging/monitoring](../packaging/monitoring/README.md). No label has the name or the id of a person, an application or an issuer.
With several workers, their values are added up, or the largest is shown, whichever makes sense. Metrics that begin with \`process_\` and \`nodejs_\` are those of the
process (prom-client): memory, processor time, descriptors, delay of the event loop, garbage collection.

## Each process

${metricsTable({ ...processMetrics, ...backupMetrics, requestTimes })}

## Identity service

${metricsTable(identityMetrics)}

## Wallet node

${metricsTable(walletMetrics)}
`;

export function documents(): Record<string, string> {
  return {
    'docs/config.md': configPage(),
    'docs/errors.md': errorsPage(),
    'docs/metrics.md': metricsPage(),
    'docs/api/identity.openapi.json': `${JSON.stringify(makeIdentityDocument(), null, 2)}\n`,
    'docs/api/wallet.openapi.json': `${JSON.stringify(makeWalletDocument(), null, 2)}\n`,
    'docs/api/keystone-pairs.md': pairsPage(),
    'docs/setup.schema.json': `${JSON.stringify(setupJsonSchema(), null, 2)}\n`,
  };
}

export function writeDocuments(): void {
  for (const [path, text] of Object.entries(documents())) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

export async function staleDocuments(): Promise<string[]> {
  const stale = Object.entries(documents())
    .filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
    .map(([path]) => `${path} is stale; run: npm run docs`);
  return [...stale, ...needlessReasons()];
}
