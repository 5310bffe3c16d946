-- Certificates of the keys with which the node attests its wallets and their keys. The keys are among those of the node.
create table attester_certificates (
  -- The thumbprint of the key.
  kid text primary key,
  -- DER in base64.
  certificate text not null,
  created_at bigint not null,
  expires_at bigint not null
);
