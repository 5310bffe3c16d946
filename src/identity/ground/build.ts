// What all rooms need: the options of the service, changes with their audit event, limits of guesses, mails, calls to others.
import { createCertificateOf } from '../../platform/http/index.ts';
import { Gate } from '../../platform/limits/index.ts';
import { createOutbound } from '../../platform/outbound/index.ts';
import { type AfterChange, createChanges } from './audit/index.ts';
import type { Database, Tx } from './database/index.ts';
import { createLinks } from './links/index.ts';
import { createBrandPictures, createCurrentAssets, createPreviews, LOGO_NOW } from './look/index.ts';
import { createMail, createMailTexts, type DomainMailLook } from './mail/index.ts';
import type { ModuleOptions } from './module-options.ts';
import { createNotifications } from './notifications/index.ts';
import { createInquiry } from './resource/index.ts';

/** Limits of wrong guesses, not of requests: services that log in often with the right password are not limited. */
const GUESSES = {
  account: { attempts: 10, perSeconds: 60 },
  address: { attempts: 100, perSeconds: 60 },
};

export function buildGround(db: Database, options: ModuleOptions, afterChange: AfterChange) {
  const { clock, config } = options;
  const deps = { ...options, db, change: createChanges(db, clock, afterChange) };
  const webhook = () => {
    const { webhookUrl: url, webhookSecret: secret } = config;
    return url && secret ? { url, secret } : undefined;
  };
  const brandPictures = createBrandPictures(deps);
  const assets = createCurrentAssets(config, () => brandPictures.now());
  const look = () => {
    const { accent, logo } = assets.brand;
    return { ...accent, logo: logo && `${options.issuer()}${LOGO_NOW}` };
  };
  const domainMailLook = createInquiry<[domainId: string, tx: Tx], DomainMailLook>();
  const mailTexts = createMailTexts({ ...deps, look });
  const outbound = createOutbound(options.outboundAllow, { ...options, methods: ['GET', 'POST', 'DELETE'] });
  const notifications = createNotifications({ ...deps, outbound, webhook });
  return {
    ...deps,
    gate: new Gate(options.rateLimits ? GUESSES : undefined, clock),
    outbound,
    certificateOf: createCertificateOf({ header: config.clientCertificateHeader, trustedProxies: options.trustedProxies }),
    notifications,
    notify: notifications.notify,
    brandPictures,
    mailTexts,
    /** What every process follows from the start on. */
    followers: [brandPictures, mailTexts],
    assets,
    previews: createPreviews(deps),
    domainMailLook,
    mail: createMail({ ...deps, look, lookOf: domainMailLook.ask, stored: mailTexts.stored }),
    links: createLinks(deps),
  };
}

export type Ground = ReturnType<typeof buildGround>;
