# What the official image does with these variables: a database and its owner, made at the first start.
set -e
chown postgres "$PGDATA" /run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres /tmp/password
  gosu postgres initdb -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 -D "$PGDATA"
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  gosu postgres pg_ctl -w -D "$PGDATA" -o "-c listen_addresses=" start
  PGPASSWORD=$POSTGRES_PASSWORD gosu postgres createdb -h /run/postgresql -U "$POSTGRES_USER" "$POSTGRES_USER"
  gosu postgres pg_ctl -m fast -w -D "$PGDATA" stop
fi
exec gosu postgres postgres -D "$PGDATA" -c listen_addresses='*'
