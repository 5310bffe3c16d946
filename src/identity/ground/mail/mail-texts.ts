// The texts of mails that administrators wrote. Every process has them in memory. Those in the folder of the operator come first, then these, then those of the program.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Actor, RunChange } from '../audit/index.ts';
import type { Database, MailTextRow } from '../database/index.ts';
import { fail } from '../faults.ts';
import type { IdentityConfig } from '../settings/index.ts';
import { REQUIRED_VALUE, TEMPLATE_NAMES, TEMPLATES, type TemplateName, type ValueKind } from './letters.ts';
import { deleteText, putText, readTexts } from './mail-texts.store.ts';
import { type MailLook, type MailText, render, type TemplateText } from './render.ts';
import { createTemplates } from './templates.ts';
import { checkText, type PlainText, TextRefusal, templateOf, tidyText } from './text-rules.ts';
import { senderOf } from './transport.ts';

const TAG = 'mail-texts';

export interface MailTextsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly change: RunChange;
  readonly config: IdentityConfig;
  /** Public address of the service. */
  issuer(): string;
  look(): MailLook;
}

export interface ShownText extends PlainText {
  readonly language: string;
  readonly template: TemplateName;
  /** `file`: the operator has fixed it. */
  readonly source: 'file' | 'service' | 'default';
  readonly values: readonly { readonly name: string; readonly kind: ValueKind; readonly required: boolean }[];
}

interface Stored extends PlainText {
  readonly template: TemplateText;
}

const idOf = (language: string, name: TemplateName): string => `${language}/${name}`;
const isName = (name: string): name is TemplateName => TEMPLATE_NAMES.some((one) => one === name);
const SAMPLES: Readonly<Record<string, string>> = {
  name: 'Ada',
  inviter: 'Grace',
  organization: 'Harbour',
  passkey: 'Laptop',
  credential: 'Pilot',
  provider: 'Example',
  reason: 'We know nobody of this name.',
};

export function createMailTexts({ db, clock, log, change, config, issuer, look }: MailTextsDeps) {
  const templates = createTemplates(config);

  /** A text that another version stored may not fit the mails of this one. Such a mail has the text of the program. */
  function storedOf({ id, subject, body }: MailTextRow): readonly (readonly [string, Stored])[] {
    const name = id.slice(id.indexOf('/') + 1);
    if (!isName(name)) return [];
    try {
      checkText(name, { subject, body }, undefined);
      return [[id, { subject, body, template: templateOf(name, { subject, body }) }]];
    } catch (error) {
      log.error({ text: id, err: error }, 'a stored text of a mail is not valid; it has no effect');
      return [];
    }
  }
  const followed = db.followed<ReadonlyMap<string, Stored>>({
    tag: TAG,
    initial: new Map(),
    read: async () => new Map((await readTexts(db.read)).flatMap(storedOf)),
  });

  /** The hosts that texts may have addresses of: ours, and those to which the pages lead. */
  function hosts(): string[] {
    const { helpUrl, termsUrl, privacyUrl } = config;
    const all = [issuer(), helpUrl, termsUrl, privacyUrl].flatMap((url) =>
      url === undefined ? [] : (URL.parse(url)?.host ?? []),
    );
    return [...new Set(all)];
  }

  function refuseInvalid(name: TemplateName, text: PlainText): void {
    try {
      checkText(name, text, hosts());
    } catch (error) {
      if (!(error instanceof TextRefusal)) throw error;
      fail('mail_text.invalid', { why: error.message });
    }
  }

  function shown(language: string, name: TemplateName, stored = followed.value): ShownText {
    const own = templates().origin(language, name)!;
    const mine = own.isFixed ? undefined : stored.get(idOf(language, name));
    const { subject, body } = mine ?? { subject: own.template.subject, body: own.template.text };
    return {
      language,
      template: name,
      subject,
      body,
      source: own.isFixed ? 'file' : mine ? 'service' : 'default',
      values: Object.entries(TEMPLATES[name]).map(([value, kind]) => ({ name: value, kind, required: value === REQUIRED_VALUE })),
    };
  }

  const versionOf = ({ source, subject, body }: ShownText): string =>
    createHash('sha256')
      .update(JSON.stringify([source, subject, body]))
      .digest('base64url')
      .slice(0, 22);

  /** Stores it, or goes back to the text of the program. `isExpected` is asked for the version in the transaction. */
  async function write(
    actor: Actor,
    { language, template: name }: ShownText,
    text: PlainText | undefined,
    isExpected: (version: string) => boolean,
  ): Promise<void> {
    const id = idOf(language, name);
    if (templates().origin(language, name)!.isFixed) fail('mail_text.fixed', { id });
    const tidied = text && tidyText(text);
    if (tidied) refuseInvalid(name, tidied);
    await change(actor, async ({ tx, audit, invalidate }) => {
      await takeAdvisoryLock(db, tx, TAG);
      const stored = new Map((await readTexts(tx)).flatMap(storedOf));
      if (!isExpected(versionOf(shown(language, name, stored)))) fail('resource.changed', { kind: 'mail', id });
      if (tidied) await putText(tx, { id, ...tidied, version: newId(), changed_at: seconds(clock) });
      else await deleteText(tx, id);
      const detail = { mail: id, ...(tidied ? { subject: tidied.subject } : {}) };
      audit(tidied ? 'settings.mail_text_changed' : 'settings.mail_text_reset', { kind: 'settings', id: 'service' }, detail);
      invalidate(TAG);
    });
    await followed.refresh();
  }

  return {
    /** What replaces the text of the program. */
    stored: (language: string, name: TemplateName): TemplateText | undefined =>
      followed.value.get(idOf(language, name))?.template,

    list: (): ShownText[] =>
      templates().languages.flatMap((language) =>
        TEMPLATE_NAMES.flatMap((name) => (templates().origin(language, name) ? [shown(language, name)] : [])),
      ),

    find: (language: string, name: string): ShownText | undefined =>
      isName(name) && templates().origin(language, name) ? shown(language, name) : undefined,

    versionOf,
    write,

    /** The mail with sample values. */
    preview({ language, template: name }: ShownText, text: PlainText): MailText {
      const tidied = tidyText(text);
      refuseInvalid(name, tidied);
      const url = issuer();
      const values: Record<string, string | number> = {
        ...SAMPLES,
        service: senderOf(config).name,
        account: `${url}/account`,
        link: `${url}/openid/example`,
        reset: `${url}/openid/forgotten-password`,
        at: clock.now(),
        lifetime: config.linkSeconds,
      };
      return render({
        template: templateOf(name, tidied),
        layout: templates().layout,
        look: look(),
        language,
        kinds: TEMPLATES[name],
        values,
      });
    },

    start: () => followed.start(),
    stop: () => followed.stop(),
  };
}

export type MailTexts = ReturnType<typeof createMailTexts>;
