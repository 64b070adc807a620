/** A promise to people who have to trust the service, and the tests that hold it. */
export interface TrustPromise {
  /** What `recordFigures` calls it. */
  readonly id: string
  readonly text: string
  readonly file: string
  /** Part of the names of the tests, as it stands in the file. */
  readonly tests: string
}

const OAUTH = 'test/core/identity/oauth'
const PORTAL = 'test/plugins/portal'

/** All promises by subject, in the order of test/TRUST.md. */
export const PROMISES: Readonly<Record<string, readonly TrustPromise[]>> = {
  'Who gets in': [
    {
      id: 'entry.expired',
      text: 'An expired token is refused, also while it is cached.',
      file: 'test/core/tokens.test.ts',
      tests: 'expire on time, also while cached',
    },
    {
      id: 'entry.revoked',
      text: 'A token that is revoked on one instance is refused on the others within a moment.',
      file: 'test/core/tokens.test.ts',
      tests: 'revoked on one are refused on the other within a moment',
    },
    {
      id: 'entry.disabled',
      text: 'A disabled user is refused at once, with every token.',
      file: 'test/core/tokens.test.ts',
      tests: 'of a disabled user are refused at once, until the user is enabled again',
    },
    {
      id: 'entry.disabled_apps',
      text: 'A disabled user is refused at once with every connected app, which cannot refresh.',
      file: `${OAUTH}/tokens.test.ts`,
      tests: 'a disabled user is refused at once and cannot refresh',
    },
    {
      id: 'entry.code_replay',
      text: 'A reused authorization code revokes its tokens.',
      file: `${OAUTH}/tokens.test.ts`,
      tests: 'a reused code revokes its tokens',
    },
    {
      id: 'entry.secrets',
      text: 'Neither the database nor the log contains a usable secret.',
      file: `${OAUTH}/secrets.test.ts`,
      tests: 'neither the database nor the log contains a usable secret',
    },
    {
      id: 'entry.foreign_host',
      text: 'A foreign host name is refused everywhere, without a page.',
      file: `${PORTAL}/hosts.test.ts`,
      tests: 'a foreign name is refused everywhere, without a page',
    },
    {
      id: 'entry.csrf',
      text: 'Every form is refused without its CSRF token, and writes nothing.',
      file: `${PORTAL}/all-forms.test.ts`,
      tests: 'every form is refused without its CSRF token, and writes nothing',
    },
    {
      id: 'entry.enumeration',
      text: 'An unknown user gets the same page as a wrong password, in the same time.',
      file: `${PORTAL}/sign-in.test.ts`,
      tests: 'an unknown user gets the same page as a wrong password, in the same time',
    },
  ],
  'What others see': [
    {
      id: 'isolation.limited_token',
      text: 'A token limited to projects shows nothing of any other.',
      file: 'test/core/tokens.test.ts',
      tests: 'limited to projects show nothing of any other',
    },
    {
      id: 'isolation.fetch',
      text: 'Addresses that strangers name are fetched from public networks only.',
      file: `${OAUTH}/documents.test.ts`,
      tests: 'a name that resolves to [',
    },
  ],
  'Nothing is lost': [
    {
      id: 'durability.kill',
      text: 'kill -9 during transactions loses nothing that was committed.',
      file: 'test/core/db/pglite-durability.test.ts',
      tests: 'kill -9 during transactions loses nothing that was committed',
    },
    {
      id: 'durability.flush',
      text: 'A commit is on the disk before it is reported.',
      file: 'test/core/db/pglite-durability.test.ts',
      tests: 'a commit is flushed to the disk before it is reported',
    },
    {
      id: 'durability.once',
      text: 'A call that is sent twice at once with one idempotency key runs once.',
      file: 'test/core/mcp/idempotency.test.ts',
      tests: 'sent twice at once runs once',
    },
    {
      id: 'durability.connection',
      text: 'A database connection that breaks during a call is answered, and later calls are served.',
      file: 'test/core/database-cut.test.ts',
      tests: 'a connection that breaks during a call is answered as an unavailable database',
    },
  ],
  'Bad input': [
    {
      id: 'input.messages',
      text: 'Malformed messages are refused with the error of the protocol, and the next call is served.',
      file: 'test/bad-input.test.ts',
      tests: ': HTTP ${status}, error ${code}',
    },
    {
      id: 'input.recurrence',
      text: 'No recurrence rule blocks the process.',
      file: 'test/plugins/templates/recurrence.test.ts',
      tests: 'no rule blocks the process, accepted or not',
    },
    {
      id: 'input.files',
      text: 'Uploaded content that a browser could execute is not shown inline.',
      file: 'test/plugins/attachments/download.test.ts',
      tests: 'content that a browser could execute is not shown inline',
    },
  ],
}
