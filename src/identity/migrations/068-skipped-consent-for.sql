-- A hash of the redirect addresses and scopes for which an administrator let the application skip consent. Replicas of versions before
-- 055-skipped-consent let whoever manages the application change them: consent is asked for again then.
alter table consumers add column skips_consent_for text;
