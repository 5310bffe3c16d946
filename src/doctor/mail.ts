// Mail: the server lets us in, or the folder can be written to. Nothing is sent.
import { accessSync, constants, existsSync } from 'node:fs';
import { mailTarget } from '../identity/ground/mail/index.ts';
import { MailError, trySmtp } from '../platform/mail/index.ts';
import { type Deployment, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const MAIL_MS = 10_000;

export async function checkMailTarget({ identity, folder }: Deployment): Promise<Finding[]> {
  const check = 'mail';
  if (!identity) return [];
  const target = mailTarget(identity, folder);
  if ('folder' in target) {
    try {
      if (existsSync(target.folder)) accessSync(target.folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      return [
        fail(
          check,
          `${target.folder} cannot be written to (${reasonOf(error)})`,
          'give the folder to the user of the service, or set GATEHOUSE_IDENTITY_MAIL_FOLDER',
        ),
      ];
    }
    const mend = 'name a mail server in the console under Service, Mail';
    return [warn(check, `mails are written to ${target.folder}, and reach nobody`, mend)];
  }
  const { smtp } = target;
  try {
    await trySmtp({ ...smtp, timeoutMs: MAIL_MS });
    return [ok(check, `${smtp.host} lets us send`)];
  } catch (error) {
    const reason = error instanceof MailError ? error.message : reasonOf(error);
    return [
      fail(
        check,
        `${smtp.host} does not let us send: ${reason}`,
        'check the server: in the console under Service, Mail, or GATEHOUSE_IDENTITY_SMTP_HOST, _PORT, _TLS, _USER and _PASSWORD; then send a test mail there',
      ),
    ];
  }
}
