#!/bin/sh
# The gatehouse command of an installed service: with the settings of the service, and never as root, so that no file in the data folder
# belongs to root. `gatehouse backup` and other commands run as the user gatehouse.
program=/opt/gatehouse/gatehouse
settings=/etc/gatehouse/gatehouse.env
if [ "$(id -u)" = 0 ]; then
  export GATEHOUSE_CONFIG_FILE="${GATEHOUSE_CONFIG_FILE:-$settings}"
  exec setpriv --reuid=gatehouse --regid=gatehouse --init-groups --no-new-privs -- "$program" "$@"
fi
if [ -z "$GATEHOUSE_CONFIG_FILE" ] && [ -r "$settings" ]; then export GATEHOUSE_CONFIG_FILE="$settings"; fi
exec "$program" "$@"
