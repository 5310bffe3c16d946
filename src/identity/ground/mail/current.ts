// Transport, sender and templates as the settings say now.
import { type IdentityConfig, madeFrom } from '../settings/index.ts';
import { createTemplates, type StoredTexts } from './templates.ts';
import { createTransport, prepareFolder, senderOf } from './transport.ts';

const NAMES = ['smtpHost', 'smtpPort', 'smtpTls', 'smtpUser', 'smtpPassword', 'mailFrom', 'mailLanguage', 'brandName'] as const;

export const createCurrentMail = (config: IdentityConfig, dataDir: string, stored: StoredTexts) =>
  madeFrom(config, NAMES, (before: object | undefined) => {
    if (before) prepareFolder(config, dataDir);
    return { transport: createTransport(config, dataDir), from: senderOf(config), templates: createTemplates(config, stored) };
  });
