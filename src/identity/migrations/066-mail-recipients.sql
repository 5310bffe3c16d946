-- To whom a mail goes, for administrators who look for one that did not arrive. What it says stays sealed. Null: stored by an earlier version.
alter table mails add column recipient text;
