// Tables of what the service looks like, and of what it says in mails.
import type { SettingOwner } from './catalog.ts';

/** `kind`: logo or favicon. */
export interface BrandPictureRow {
  kind: string;
  id: string;
  media_type: string;
  content: string;
  created_at: number;
}

/** Of a domain. */
export interface DomainPictureRow extends BrandPictureRow {
  domain_id: string;
  stored_by: SettingOwner;
}

/** `id`: language and template, as in `en/invitation`. */
export interface MailTextRow {
  id: string;
  subject: string;
  body: string;
  version: string;
  changed_at: number;
}

export interface LookTables {
  brand_pictures: BrandPictureRow;
  domain_pictures: DomainPictureRow;
  previews: { id: string; content: string; expires_at: number };
  mail_texts: MailTextRow;
}
