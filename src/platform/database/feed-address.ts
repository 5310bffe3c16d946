// The address at which a process listens for the changes of others, if it is not that of the database: a pooler in transaction mode
// delivers no notifications.

/** The setting with that address, from the one of the database. */
export const feedSettingOf = (setting: string): string => setting.replace('DATABASE_URL', 'FEED_DATABASE_URL');

/** Why notifications do not arrive, as far as it can be known, and what to do. */
export const causeOfLostNotifications = (setting: string, feedUrl: string | undefined): string =>
  feedUrl
    ? `${feedSettingOf(setting)} leads to another database, or to a pooler in transaction mode`
    : `a pooler in transaction mode is in front of it; set ${feedSettingOf(setting)} to the address of PostgreSQL itself`;
