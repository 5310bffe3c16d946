// doctor: checks a deployment and says what to mend.
import { shown } from '../platform/terminal.ts';
import { version } from '../version.ts';
import { type Command, UsageError } from './command.ts';
import { print } from './support.ts';

const SERVICES = ['identity', 'wallet'] as const;

export const doctorCommand: Command = {
  words: 'doctor',
  about: 'check this deployment and say what to mend; exit status 0: all is well, 1: warnings, 2: something is broken',
  more: 'Run it as the user of the service with its settings, while the service runs or is stopped. It changes nothing, sends no mail, and prints no secret.',
  options: {
    json: { about: 'print JSON' },
    service: { value: 'SERVICE', about: 'check only this one: identity or wallet' },
  },
  async run({ options }) {
    const service = SERVICES.find((name) => name === options.service);
    if (options.service !== undefined && !service)
      throw new UsageError(`gatehouse doctor: --service must be ${SERVICES.join(' or ')}`);
    const { examine, exitStatusOf } = await import('../doctor/index.ts');
    const findings = await examine({ env: process.env, service });
    const exitStatus = exitStatusOf(findings);
    if (options.json !== undefined) print(JSON.stringify({ version, exit_status: exitStatus, findings }, null, 2));
    else
      for (const { check, status, text, mend } of findings)
        print(shown(`${status.padEnd(4)}  ${check.padEnd(24)}  ${text}${mend ? `. To mend: ${mend}` : ''}`, false));
    process.exitCode = exitStatus;
  },
};
