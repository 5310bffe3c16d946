-- With whom an exchange was, as people know it: the host of the issuer, or the host that the answer to a verifier goes to.

alter table exchanges add column party text;
