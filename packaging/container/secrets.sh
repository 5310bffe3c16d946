#!/bin/sh
# Makes the secrets of compose.yaml, once. Nothing that exists is replaced.
set -eu
umask 077
mkdir -p secrets
random() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
for name in postgres_password identity_password wallet_password; do
  [ -e "secrets/$name" ] || random > "secrets/$name"
done
for service in identity wallet; do
  [ -e "secrets/${service}_database_url" ] || printf 'postgres://%s:%s@postgres/%s' "$service" "$(cat "secrets/${service}_password")" "$service" > "secrets/${service}_database_url"
done
# 32 bytes in base64url.
[ -e secrets/master_key ] || head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n' > secrets/master_key
# Containers have users of their own: compose gives them these files with the rights they have here. Others must not enter the folder.
chmod 0700 secrets
chmod 0444 secrets/*
