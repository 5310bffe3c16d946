// For operators: checks the settings, sends a test mail, copies the built-in templates.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { ConfigError } from '../../../platform/config/index.ts';
import { newId } from '../../../platform/ids.ts';
import { isAddress, MailError } from '../../../platform/mail/index.ts';
import type { IdentityConfig } from '../settings/index.ts';
import { renderLetter } from './mail.ts';
import { BUILT_IN, createTemplates } from './templates.ts';
import { createTransport, prepareFolder, senderOf } from './transport.ts';

/** Throws ConfigError if the settings of mail or the templates are wrong. */
export function checkMail(config: IdentityConfig, dataDir: string): void {
  createTransport(config, dataDir);
  senderOf(config);
  createTemplates(config);
}

export interface TestMail {
  readonly to: string;
  readonly language: string | undefined;
  readonly at: number;
  /** Public address of the service. */
  readonly url: string;
}

export interface TestResult {
  /** Where it was sent: the server, or a folder. */
  readonly about: string;
  /** Why the server did not accept it, by the number of its answer. */
  readonly refusal: string | undefined;
}

/** Sends it at once, without the queue. */
export async function tryTest(
  config: IdentityConfig,
  dataDir: string,
  { to, language, at, url }: TestMail,
  timeoutMs?: number,
): Promise<TestResult> {
  const transport = createTransport(config, dataDir, timeoutMs);
  const from = senderOf(config);
  const templates = createTemplates(config)();
  const service = { linkSeconds: config.linkSeconds, name: from.name, url };
  const content = renderLetter(templates, { to, template: 'test', language, values: { at } }, service);
  prepareFolder(config, dataDir);
  try {
    await transport.send({ ...content, to, id: newId(), from, at });
    return { about: transport.about, refusal: undefined };
  } catch (error) {
    if (error instanceof MailError) return { about: transport.about, refusal: error.message };
    throw error;
  }
}

/** The same for the command line. Returns where it was sent. */
export async function sendTest(config: IdentityConfig, dataDir: string, mail: TestMail): Promise<string> {
  if (!isAddress(mail.to)) throw new ConfigError(`${mail.to} is not an e-mail address`);
  const { about, refusal } = await tryTest(config, dataDir, mail);
  if (refusal !== undefined) throw new ConfigError(`${about} did not accept the mail: ${refusal}`);
  return about;
}

/** Copies the built-in templates. The folder must be new or empty. */
export function copyTemplates(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new ConfigError(`${folder} is not empty; name another folder`);
  mkdirSync(folder, { recursive: true });
  cpSync(BUILT_IN, folder, { recursive: true });
}
