// audit: lists, follows and exports audit events, read from the database beside a running service.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEventRow } from '../identity/ground/database/index.ts';
import type { EventFilter, EventPosition } from '../identity/operations/audit-events/index.ts';
import { ConfigError } from '../platform/config/index.ts';
import { type Command, type CommandOption, type ParsedArguments, UsageError } from './command.ts';
import { checkFolderOf, withReader } from './support.ts';

const PAGE = 1000;
const LIST = 50;
const EVERY_MS = 1_000;
/** Events may be stored this much later than their time: it is looked for them again. */
const LATE_SECONDS = 30;

type Options = ParsedArguments['options'];
type Format = 'text' | 'json' | 'cadf' | 'csv';

const FILTERS: Readonly<Record<string, CommandOption>> = {
  since: { value: 'TIME', about: 'only from this time on, such as 2026-11-16T08:00:00Z or 2026-11-16' },
  until: { value: 'TIME', about: 'only before this time' },
  user: { value: 'ID', about: 'only events that this person did, or that concern them' },
  actor: { value: 'ID', about: 'only what this user did' },
  action: { value: 'ACTION', about: 'only this action, such as user.logged_in; or those that begin so, as in user.*' },
  target: { value: 'ID', about: 'only events about this thing' },
  type: { value: 'TYPE', about: 'only events about this kind of thing, such as user or consumer' },
  domain: { value: 'ID', about: 'only events that concern this domain' },
  application: { value: 'ID', about: 'only events that concern this application' },
  outcome: { value: 'OUTCOME', about: 'only success or failure' },
};
const formatOption = (formats: string): CommandOption => ({ value: 'FORMAT', about: `${formats} (the first by default)` });

function timeOf(name: string, text: string | undefined): number | undefined {
  const milliseconds = Date.parse(text ?? '');
  if (text !== undefined && Number.isNaN(milliseconds))
    throw new UsageError(`gatehouse audit: --${name} must be a time such as 2026-11-16T08:00:00Z`);
  return text === undefined ? undefined : Math.floor(milliseconds / 1000);
}

function filterOf({ since, until, user, actor, action, target, type, domain, application, outcome }: Options): EventFilter {
  if (outcome !== undefined && outcome !== 'success' && outcome !== 'failure')
    throw new UsageError('gatehouse audit: --outcome must be success or failure');
  if (action !== undefined && !/^[a-z_.]{1,100}\*?$/.test(action))
    throw new UsageError('gatehouse audit: --action must be an action such as user.logged_in, or the beginning of one and *');
  return {
    since: timeOf('since', since),
    until: timeOf('until', until),
    userId: user,
    actorId: actor,
    targetId: target,
    targetType: type,
    domainId: domain,
    applicationId: application,
    outcome,
    ...(action?.endsWith('*') ? { actionPrefix: action.slice(0, -1) } : { action }),
  };
}

function formatOf({ format }: Options, formats: readonly Format[]): Format {
  const found = format === undefined ? formats[0]! : formats.find((one) => one === format);
  if (!found) throw new UsageError(`gatehouse audit: --format must be one of ${formats.join(', ')}`);
  return found;
}

/** Control characters in what people typed must not reach a terminal. */
const visible = (text: string): string => text.replace(/\p{Cc}/gu, '\u{fffd}');

function textLine({ at, action, outcome, actor_id, target_kind, target_id, detail }: AuditEventRow): string {
  const time = new Date(at * 1000).toISOString().replace('.000', '');
  return `${visible(`${time}  ${outcome === 'failure' ? 'FAILED ' : ''}${action}  ${target_kind}:${target_id}  by ${actor_id ?? '-'}  ${detail}`)}\n`;
}

/** How events are read, and how one is written in a format. */
async function eventsAs(format: Format) {
  const { CSV_HEAD, csvLine, jsonLine, readEvents, renderEvent } = await import('../identity/operations/audit-events/index.ts');
  const { identityCadf } = await import('../identity/operations/audit-export/index.ts');
  const lines: Readonly<Record<Format, (row: AuditEventRow) => string>> = {
    text: textLine,
    json: (row) => jsonLine(renderEvent({ ...row, detail: JSON.parse(row.detail) })),
    cadf: (row) => `${JSON.stringify(identityCadf(row))}\n`,
    csv: (row) => csvLine(renderEvent({ ...row, detail: JSON.parse(row.detail) })),
  };
  return { readEvents, head: format === 'csv' ? CSV_HEAD : '', line: lines[format] };
}

async function write(output: Writable, text: string): Promise<void> {
  if (text !== '' && !output.write(text)) await once(output, 'drain');
}

const positionOf = ({ at, id }: AuditEventRow): EventPosition => ({ at, id });

async function list({ options }: ParsedArguments): Promise<void> {
  const [filter, format] = [filterOf(options), formatOf(options, ['text', 'json', 'cadf'])];
  const limit = Number(options.limit ?? LIST);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE)
    throw new UsageError(`gatehouse audit list: --limit must be from 1 to ${PAGE}`);
  const { readEvents, line } = await eventsAs(format);
  await withReader(async (db) => {
    const rows = await readEvents(db, { filter, visible: 'all', limit });
    await write(process.stdout, rows.reverse().map(line).join(''));
  });
}

/** All that match, the oldest first. */
async function exportAll({ args: [file], options }: ParsedArguments): Promise<void> {
  const [filter, format] = [filterOf(options), formatOf(options, ['json', 'cadf', 'csv'])];
  if (file !== '-') checkFolderOf(file!);
  const { readEvents, head, line } = await eventsAs(format);
  await withReader(async (db) => {
    // `wx`: what was exported before is not overwritten.
    const output = file === '-' ? process.stdout : createWriteStream(file!, { flags: 'wx', mode: 0o600 });
    const failed = file === '-' ? undefined : once(output, 'error').then(([error]) => Promise.reject(error as Error));
    const work = async (): Promise<void> => {
      let count = 0;
      let after: EventPosition = { at: -1, id: '' };
      await write(output, head);
      for (;;) {
        const rows = await readEvents(db, { filter, visible: 'all', after, limit: PAGE });
        await write(output, rows.map(line).join(''));
        count += rows.length;
        if (rows.length < PAGE) break;
        after = positionOf(rows.at(-1)!);
      }
      if (file === '-') return;
      output.end();
      await once(output, 'finish');
      process.stderr.write(`${count} events\n`);
    };
    await (failed ? Promise.race([work(), failed]) : work()).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new ConfigError(`${file} exists; name a new file`) : error;
    });
  });
}

/** Prints events as they are stored, until it is interrupted. */
async function follow({ options }: ParsedArguments): Promise<void> {
  const [filter, format] = [filterOf(options), formatOf(options, ['text', 'json', 'cadf'])];
  const { readEvents, line } = await eventsAs(format);
  await withReader(async (db) => {
    const printed = new Map<string, number>();
    let since = filter.since ?? Math.floor(Date.now() / 1000);
    for (;;) {
      let after: EventPosition = { at: since - 1, id: 'g' };
      for (;;) {
        const rows = await readEvents(db, { filter, visible: 'all', after, limit: PAGE });
        const fresh = rows.filter(({ id, at }) => printed.get(id) !== at);
        // Older ones are not read again.
        const late = Math.floor(Date.now() / 1000) - LATE_SECONDS;
        for (const { id, at } of fresh) if (at >= late) printed.set(id, at);
        await write(process.stdout, fresh.map(line).join(''));
        if (rows.length < PAGE) break;
        after = positionOf(rows.at(-1)!);
      }
      since = Math.max(since, Math.floor(Date.now() / 1000) - LATE_SECONDS);
      for (const [id, at] of printed) if (at < since) printed.delete(id);
      await sleep(EVERY_MS);
    }
  });
}

export const auditCommands: readonly Command[] = [
  {
    words: 'audit list',
    about: 'print the newest audit events, the newest last',
    options: {
      ...FILTERS,
      limit: { value: 'NUMBER', about: `how many (${LIST} by default)` },
      format: formatOption('text, json or cadf'),
    },
    run: list,
  },
  {
    words: 'audit follow',
    about: 'print audit events as they happen, until it is interrupted',
    options: { ...FILTERS, format: formatOption('text, json or cadf') },
    run: follow,
  },
  {
    words: 'audit export',
    about: 'write audit events to a new file, the oldest first',
    more: 'The formats: json (lines of JSON as the API has them), cadf (as in Keystone’s notifications), csv.',
    args: [{ name: 'FILE', about: 'a new file, or - for standard output', takesDash: true }],
    options: { ...FILTERS, format: formatOption('json, cadf or csv') },
    run: exportAll,
  },
];
