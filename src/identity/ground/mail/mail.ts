// Mails to people. They are stored in the transaction of the event they report, so that neither happens without the other, and sent later.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log/index.ts';
import { isAddress, MailError, type Message } from '../../../platform/mail/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database, MailRow, Tx } from '../database/index.ts';
import { createOutbox, type Failure, type Schedule } from '../outbox/index.ts';
import type { IdentityConfig } from '../settings/index.ts';
import { createCurrentMail } from './current.ts';
import { type Letter, TEMPLATES, type TemplateName } from './letters.ts';
import { countMails, insertMail, sweepMails } from './mail.store.ts';
import { type DomainMailLook, type MailLook, type MailText, render } from './render.ts';
import type { StoredTexts, Templates } from './templates.ts';
import { prepareFolder } from './transport.ts';

/** Attempts are limited by the time when a mail expires, not by a number. */
const SCHEDULE: Schedule = { firstRetrySeconds: 30, maxWaitSeconds: 300, maxAttempts: Number.POSITIVE_INFINITY, atOnce: 4 };
const NOTICE_SECONDS = 86_400;

interface Content extends MailText {
  readonly to: string;
  readonly language: string;
}

const placeOf = (id: string): string => `mails/${id}`;
const sealContent = (seal: Seal, id: string, content: Content): string =>
  seal.seal(Buffer.from(JSON.stringify(content)), placeOf(id));
const openContent = (seal: Seal, { id, sealed }: MailRow): Content =>
  JSON.parse(seal.open(sealed, placeOf(id)).toString()) as Content;

export interface ServiceInfo {
  readonly linkSeconds: number;
  /** Name of the service in mails. */
  readonly name: string;
  /** Public address of the service. */
  readonly url: string;
  readonly look?: MailLook | undefined;
}

/** Fills the template of a letter, in the reader's language. */
export function renderLetter<T extends TemplateName>(
  templates: Templates,
  letter: Letter<T>,
  service: ServiceInfo,
): MailText & { language: string } {
  const { template, language } = templates.find(letter.template, letter.language);
  const values: Record<string, string | number> = {
    ...letter.values,
    service: service.name,
    account: `${service.url}/account`,
    lifetime: letter.seconds ?? service.linkSeconds,
  };
  return {
    ...render({ template, layout: templates.layout, look: service.look, language, kinds: TEMPLATES[letter.template], values }),
    language,
  };
}

export interface MailDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
  readonly config: IdentityConfig;
  readonly dataDir: string;
  /** Public address of the service. */
  issuer(): string;
  look(): MailLook;
  /** That of a domain; undefined if it is as the service. */
  lookOf?(domainId: string, tx: Tx): Promise<DomainMailLook | undefined>;
  /** What administrators have stored instead of the templates of the program. */
  readonly stored: StoredTexts;
}

export function createMail({ db, clock, log, seal, config, dataDir, issuer, look, lookOf, stored }: MailDeps) {
  const current = createCurrentMail(config, dataDir, stored);
  const counts = { sent: 0, refused: 0, failed: 0 };

  async function send(row: MailRow, stopping?: AbortSignal): Promise<Failure | undefined> {
    if (row.expires_at <= seconds(clock)) return { status: 'expired', isOver: true };
    const message: Message = { ...openContent(seal, row), id: row.id, from: current().from, at: row.created_at * 1000 };
    try {
      await current().transport.send(message, stopping);
      counts.sent++;
      log.info({ mail: row.id, template: row.template }, 'a mail was sent');
      return undefined;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.isFinal) counts.refused++;
      else counts.failed++;
      return failure;
    }
  }

  const outbox = createOutbox({
    db,
    clock,
    log,
    queue: 'mails',
    schedule: SCHEDULE,
    send,
    logFields: ({ id, template }) => ({ mail: id, template }),
    refused: 'a mail was not delivered',
    failure: 'mails could not be sent; they will be tried again',
  });

  return {
    /** Where mails go, for the start message. */
    about: (): string => current().transport.about,

    /**
     * Call it in the transaction of the event. Returns false and stores nothing if mail cannot be sent to the address: users can have any
     * text as their address, and a notice must not stop the event it reports.
     */
    async enqueue<T extends TemplateName>({ tx }: Change, letter: Letter<T>): Promise<boolean> {
      const { to, template } = letter;
      if (!isAddress(to)) return false;
      const { from, templates } = current();
      const own = letter.domainId === undefined ? undefined : await lookOf?.(letter.domainId, tx);
      const name = own?.name ?? from.name;
      const service: ServiceInfo = { linkSeconds: config.linkSeconds, name, url: issuer(), look: own ?? look() };
      const language = letter.language ?? own?.language;
      const content: Content = { ...renderLetter(templates(), { ...letter, language }, service), to };
      const [id, now] = [newId(), seconds(clock)];
      const lifetime = letter.seconds ?? ('link' in TEMPLATES[template] ? config.linkSeconds : NOTICE_SECONDS);
      const sealed = sealContent(seal, id, content);
      const expires_at = now + lifetime;
      await insertMail(tx, { id, template, sealed, recipient: to, attempts: 0, next_at: now, created_at: now, expires_at });
      return true;
    },

    sendDue: outbox.sendDue,
    /** Attempts since the start, by outcome. */
    counts: (): Readonly<Record<keyof typeof counts, number>> => ({ ...counts }),
    waiting: (): Promise<number> => countMails(db.read),

    /** Throws ConfigError if mails cannot be stored. Called before the start changes anything. */
    prepare: (): void => prepareFolder(config, dataDir),
    start: outbox.start,
    stop: outbox.stop,

    sweep: async (): Promise<number> => (await sweepMails(db, seconds(clock))) + current().transport.sweep(),
  };
}

/** Other errors, such as a full disk, concern every mail. */
function failureOf(error: unknown): Failure {
  if (error instanceof MailError) return { status: error.message, isFinal: error.isFinal, isAway: error.isAway };
  const { code, name } = error as NodeJS.ErrnoException;
  return { status: code ?? name, isAway: true };
}

export type Mail = ReturnType<typeof createMail>;
