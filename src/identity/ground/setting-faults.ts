// The errors of settings, of the look of the service, and of the texts of its mails. Part of the table in faults.ts.
export const settingFaults = {
  'setting.unknown': { status: 400, text: 'There is no setting {key}.' },
  'setting.of_machine': {
    status: 400,
    text: 'The setting {key} belongs to the machine: it can only be set in the environment or the file of settings.',
  },
  'setting.fixed': {
    status: 409,
    text: 'The setting {key} is fixed by the operator, in the environment or the file of settings.',
  },
  'setting.fixed_at': { status: 409, text: 'The setting {key} cannot be changed here: {why}.' },
  'setting.of_administrators': { status: 403, text: 'Only administrators may change {key} of this domain.' },
  'setting.looser': {
    status: 403,
    text: 'Managers of a domain may make {key} stricter than it is in the service, and not more open.',
  },
  'setting.invalid': { status: 400, text: 'Invalid setting: {why}.' },
  'mail_text.not_found': { status: 404, text: 'There is no mail {id}.' },
  'mail_text.fixed': { status: 409, text: 'The mail {id} is fixed by the operator, in the folder of templates.' },
  'mail_text.invalid': { status: 400, text: 'Invalid text of a mail: {why}.' },
  'brand_picture.not_found': { status: 404, text: 'The service has no {kind}.' },
  'domain_picture.not_found': { status: 404, text: 'The domain has no {kind} of its own.' },
} as const;
