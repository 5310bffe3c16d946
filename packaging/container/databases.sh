#!/bin/bash
# Run by the image of PostgreSQL when its data folder is empty: a database and a role of its own for each service, no superuser.
set -euo pipefail
for service in identity wallet; do
  psql -v ON_ERROR_STOP=1 -U postgres -v name="$service" -v password="$(cat "/run/secrets/${service}_password")" <<'END'
create role :"name" login password :'password';
create database :"name" owner :"name" encoding 'UTF8' template template0;
revoke all on database :"name" from public;
END
done
