import type { TrustPromise } from './promises.ts'

const INSTALL = 'test/packaging/install.test.ts'
const FILES = 'test/packaging/files.test.ts'
const PROXIES = 'test/packaging/proxies.test.ts'
const CLI = 'test/core/cli.test.ts'
const DOCTOR = 'test/core/cli-doctor.test.ts'
const BACKUP = 'test/core/archive/backup.test.ts'
const INSIDE = 'test/core/observability.test.ts'

/** One task of an operator. */
interface Task extends TrustPromise {
  readonly command: string
}

/** All tasks by subject, in the order of test/OPERATIONS.md. */
export const OPERATIONS: Readonly<Record<string, readonly Task[]>> = {
  Install: [
    {
      id: 'install.package',
      text: 'As a package, for which Node 20 suffices.',
      command: 'npm install --global tasuki.tgz && tasuki',
      file: INSTALL,
      tests: 'runs on an older Node with its bundled Node',
    },
    {
      id: 'install.size',
      text: 'It takes at most 200 MB.',
      command: 'npm install --global tasuki.tgz',
      file: INSTALL,
      tests: 'installs in at most ${MOST_INSTALL_MB} MB',
    },
    {
      id: 'install.image',
      text: 'As an image of at most 250 MB, without root, with a health check; its steps are run in a folder.',
      command: 'docker build -t tasuki .',
      file: INSTALL,
      tests: 'the steps of the Dockerfile give an image of at most ${MOST_IMAGE_MB} MB that serves',
    },
    {
      id: 'install.compose',
      text: 'With PostgreSQL, by Compose.',
      command: 'docker compose up --detach --build',
      file: FILES,
      tests: 'compose.yaml follows the specification of Compose',
    },
    {
      id: 'install.systemd',
      text: 'As a unit of systemd, with few rights.',
      command: 'systemctl enable --now tasuki',
      file: FILES,
      tests: 'systemd accepts the unit, and rates its exposure as low',
    },
    {
      id: 'install.uploads',
      text: 'Behind nginx and Caddy: large files come through.',
      command: 'cp config/deploy/nginx.conf /etc/nginx/conf.d/tasuki.conf',
      file: PROXIES,
      tests: 'a file of 80 MB passes unchanged in both directions',
    },
    {
      id: 'install.streams',
      text: 'Behind nginx and Caddy: events arrive as they are sent.',
      command: 'cp config/deploy/Caddyfile /etc/caddy/Caddyfile',
      file: PROXIES,
      tests: 'events of a stream arrive as they are sent',
    },
    {
      id: 'install.owner',
      text: 'Become the owner, on another machine, by the link of the first start.',
      command: 'HOST=0.0.0.0 tasuki',
      file: CLI,
      tests: 'on another address it shows a set-up link with that address, which works',
    },
    {
      id: 'install.secrets',
      text: 'Hand secrets over as files.',
      command: 'SECRET_KEY_FILE=/run/secrets/key tasuki',
      file: 'test/core/config.test.ts',
      tests: 'each variable with a secret may name a file',
    },
  ],
  Check: [
    {
      id: 'check.config',
      text: 'Check a config before it is used.',
      command: 'tasuki config check',
      file: 'test/core/config.test.ts',
      tests: 'refuses proxies that are no addresses, unknown groups, and keys and secrets that are not there',
    },
    {
      id: 'check.services',
      text: 'Try the bucket, the model servers and the OpenID provider.',
      command: 'tasuki doctor',
      file: DOCTOR,
      tests: 'doctor checks the external services of the config, and all of them work',
    },
    {
      id: 'check.broken',
      text: 'Hear what does not work, and what to look at.',
      command: 'tasuki doctor',
      file: DOCTOR,
      tests: 'doctor says what does not work and what to look at',
    },
    {
      id: 'check.reading',
      text: 'Look at a database without changing it.',
      command: 'tasuki user list',
      file: 'test/core/cli-reading.test.ts',
      tests: 'work on an existing database and write nothing',
    },
    {
      id: 'check.newer',
      text: 'A database of a newer version is refused, not changed.',
      command: 'tasuki',
      file: 'test/core/cli-reading.test.ts',
      tests: 'every command and the start refuse a database of a newer version and do not change it',
    },
  ],
  'Back up and move': [
    {
      id: 'backup.make',
      text: 'Back up everything while the service runs, and restore it on either database: every reading tool answers the same.',
      command: 'tasuki backup && tasuki restore FILE',
      file: BACKUP,
      tests: 'restored on ${kind}, every reading tool answers byte for byte as the original',
    },
    {
      id: 'backup.damaged',
      text: 'A damaged backup is refused before anything is written.',
      command: 'tasuki restore FILE',
      file: BACKUP,
      tests: 'a damaged archive is refused before anything is written',
    },
    {
      id: 'backup.schedule',
      text: 'Back up by schedule; old ones go, and a failure is reported.',
      command: '"backups": { "folder": "/var/backups/tasuki" }',
      file: 'test/core/archive/scheduled.test.ts',
      tests:
        'are written to the folder, old backups are deleted, and a failure is counted, reported to administrators and retried',
    },
    {
      id: 'backup.move',
      text: 'Move to PostgreSQL and back.',
      command: 'tasuki copy --to postgres://user@host/tasuki',
      file: BACKUP,
      tests: 'a copy into ${kind} during writes is a consistent snapshot of all tables',
    },
    {
      id: 'backup.import',
      text: 'Import what other programs exported; a second run adds nothing.',
      command: 'tasuki import file issues.csv APP --yes',
      file: 'test/plugins/transfer/import.test.ts',
      tests: 'importing twice adds nothing, and an interrupted run continues',
    },
    {
      id: 'backup.export_items',
      text: 'Export items for people, as CSV, JSON or Markdown; JSON and CSV can be imported again.',
      command: 'tasuki export items APP --format csv --output app.csv',
      file: 'test/plugins/transfer/export.test.ts',
      tests: 'the content of JSON and CSV survives an export and import',
    },
  ],
  Upgrade: [
    {
      id: 'upgrade.beside',
      text: 'Upgrade one instance after the other: the last release and this program serve one database.',
      command: 'npm install --global tasuki.tgz && systemctl restart tasuki',
      file: 'test/core/upgrades/release.test.ts',
      tests: 'serves next to this version on one database, before and after its migrations',
    },
    {
      id: 'upgrade.older',
      text: 'Every tool of an older version works on what a newer one has added; outside its range it refuses and says what to run.',
      command: 'tasuki',
      file: 'test/core/upgrades/older-program.test.ts',
      tests: 'continues to serve every tool on tables with additions of the newer version, and starts on them',
    },
    {
      id: 'upgrade.dry',
      text: 'See first which migrations would run.',
      command: 'tasuki migrate --dry-run',
      file: 'test/core/cli-reading.test.ts',
      tests: 'do not migrate a database that is older',
    },
  ],
  'Give data out': [
    {
      id: 'out.project',
      text: 'Export what a filter finds as CSV, JSON or Markdown; it comes back without doubles.',
      command: 'tasuki export items APP --format csv',
      file: 'test/plugins/transfer/export.test.ts',
      tests: 'an export is written in pages, and importing it adds no duplicates',
    },
    {
      id: 'out.tables',
      text: 'Exports of users have no secrets: every table is classified.',
      command: 'tasuki user export ann@example.com',
      file: 'test/core/archive/exported-tables.test.ts',
      tests: 'every table is exported, omitted or of no user, as classified',
    },
  ],
  'Look inside': [
    {
      id: 'inside.log',
      text: 'See each tool call in the log, without what it was about.',
      command: 'journalctl -u tasuki',
      file: INSIDE,
      tests: 'the log has one line per call, without arguments and texts',
    },
    {
      id: 'inside.metrics',
      text: 'Watch by Prometheus and Grafana; every metric that dashboard and rules name exists.',
      command: 'curl http://localhost:3000/metrics',
      file: INSIDE,
      tests: 'every metric and label of the dashboard and the alert rules is in a scrape',
    },
    {
      id: 'inside.listener',
      text: 'Serve metrics on a port of their own.',
      command: 'METRICS_PORT=9464 tasuki',
      file: INSIDE,
      tests: 'METRICS_PORT opens a separate listener, and LOG_FORMAT formats lines for people',
    },
    {
      id: 'inside.traces',
      text: 'Follow a request to its statements and jobs.',
      command: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 tasuki',
      file: INSIDE,
      tests: 'a trace leads from the request to the call, its statements and the job that it queued',
    },
    {
      id: 'inside.who',
      text: 'Find who did what.',
      command: 'tasuki audit --since 7d --user ann@example.com',
      file: 'test/core/audit.test.ts',
      tests: 'the command line prints it as a table, JSON lines and CSV',
    },
  ],
  People: [
    {
      id: 'people.create',
      text: 'Create users, tokens and projects.',
      command: 'tasuki user create ann@example.com',
      file: CLI,
      tests: 'creates users, tokens and projects, and lists them',
    },
    {
      id: 'people.invite',
      text: 'Invite to a project.',
      command: 'tasuki project invite APP bob@example.com --role viewer',
      file: 'test/plugins/projects/invitations.test.ts',
      tests: 'until it is accepted, nothing of the project reaches the invited person',
    },
    {
      id: 'people.token',
      text: 'Issue a token and revoke it while the service runs.',
      command: 'tasuki token revoke ID',
      file: CLI,
      tests: 'a new token works at once, and a revoked one no longer',
    },
    {
      id: 'people.revoke',
      text: 'End all access of a user.',
      command: 'tasuki user revoke ann@example.com',
      file: 'test/plugins/portal/revoke.test.ts',
      tests: 'the operator revokes all access of a user, and of nobody else',
    },
    {
      id: 'people.disable',
      text: 'Shut a user out, and let the user in again.',
      command: 'tasuki user disable ann@example.com',
      file: 'test/core/user-disable.test.ts',
      tests: 'the operator blocks a user at once, and unblocks the user',
    },
    {
      id: 'people.disable-page',
      text: 'The same, and all else about users, in the portal.',
      command: 'Settings, Users',
      file: 'test/plugins/portal/administration.test.ts',
      tests: 'a user is disabled, enabled, revoked and deleted, after the password',
    },
    {
      id: 'people.export',
      text: 'Export all data of a user.',
      command: 'tasuki user export ann@example.com',
      file: 'test/core/archive/user-export.test.ts',
      tests: 'has every row that deleting the user would delete, but for credentials, and is recorded',
    },
    {
      id: 'people.second-factor',
      text: 'Let somebody in who lost the second factor.',
      command: 'tasuki user reset-second-factor ann@example.com',
      file: 'test/plugins/portal/second-factor.test.ts',
      tests: 'the administrator resets a lost second factor',
    },
    {
      id: 'people.delete',
      text: 'Delete a user with everything of theirs.',
      command: 'tasuki user delete ann@example.com --yes',
      file: 'test/core/delete-user.test.ts',
      tests: 'all data of the user is deleted from every table and the storage, and no data of others changes',
    },
  ],
  'Large deployments': [
    {
      id: 'large.delete',
      text: 'Delete one user of 1,000 (PostgreSQL) or 250 (embedded): every row and file of all others stays as it was.',
      command: 'tasuki user delete ann@example.com --yes',
      file: 'test/core/delete-of-many.test.ts',
      tests: 'deleting a user leaves every row and file of all others unchanged',
    },
    {
      id: 'large.older',
      text: 'Restore a backup of an older version.',
      command: 'tasuki restore FILE',
      file: 'test/core/archive/restore.test.ts',
      tests: 'an archive ${what} is loaded as it was and migrated forward',
    },
    {
      id: 'large.bucket',
      text: 'Back up and restore files in a bucket.',
      command: 'tasuki backup && tasuki restore FILE',
      file: 'test/core/archive/restore.test.ts',
      tests: 'files in a bucket are backed up, and restored to the bucket and to a disk',
    },
    {
      id: 'large.failed',
      text: 'Try again after a restore that failed: it left nothing behind.',
      command: 'tasuki restore FILE',
      file: 'test/core/archive/restore.test.ts',
      tests: 'that fails removes the files that it has written, and only those',
    },
  ],
  Stop: [
    {
      id: 'stop.graceful',
      text: 'Stop it: requests under way are finished.',
      command: 'systemctl stop tasuki',
      file: CLI,
      tests: 'SIGTERM finishes requests under way, turns /readyz off, and exits with 0',
    },
    {
      id: 'stop.killed',
      text: 'After a kill the next start works.',
      command: 'systemctl restart tasuki',
      file: CLI,
      tests: 'after a kill the next server starts, and stops at once on request',
    },
  ],
}
