// The errors of applications that register themselves. Part of the table in faults.ts.
import { missing } from './missing-fault.ts';

export const registrationFaults = {
  'consumer.not_kept': {
    status: 409,
    text: 'The application {id} registered itself. Somebody keeps it before its people are not asked for consent.',
  },
  'consumer.changed_itself': {
    status: 409,
    text: 'The application {id} has changed its registration since it was looked at. Look at it again.',
  },
  'consumer.kept_already': { status: 409, text: 'The application {id} was kept already.' },
  'registration_token.not_found': missing('registration token'),
  'registration_token.too_many': { status: 409, text: 'The domain has {limit} tokens that are good. End some of them.' },
} as const;
