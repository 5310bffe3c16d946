// Wire format of what can act for a person.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';
import type { DelegatedItem } from './delegated-access.rules.ts';

const DelegatedAccess = t.object({
  kind: t.oneOf('application_credential', 'trust', 'oauth1', 'key'),
  id: t.string(),
  is: t.string({ description: 'In words, such as EC2 key.' }),
  name: t.nullable(t.string({ description: 'As its user called it, or the program, or the person whom a trust is for.' })),
  project: t.nullable(t.string({ description: 'The name of the organization in which it acts.' })),
  created_at: t.string(),
  expires_at: t.nullable(t.string()),
});

export const DelegatedAccessList = t.object({
  links: ListLinks,
  delegated_access: t.array(DelegatedAccess),
  has_more: t.boolean({ description: 'There are more trusts than these.' }),
});

export const renderDelegated = ({ kind, id, is, name, project, createdAt, expiresAt }: DelegatedItem) => ({
  kind,
  id,
  is,
  name: name ?? null,
  project: project ?? null,
  created_at: isoTime(createdAt * 1000),
  expires_at: expiresAt === null ? null : isoTime(expiresAt * 1000),
});

t.name({ DelegatedAccess, DelegatedAccessList });
