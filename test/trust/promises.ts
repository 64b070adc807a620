/** A promise to users of the service, and the tests that verify it. */
export interface TrustPromise {
  /** Id for `recordFigures`. */
  readonly id: string
  readonly text: string
  readonly file: string
  /** Part of the test names, exactly as in the file. */
  readonly tests: string
  /** Command of the operator. */
  readonly command?: string
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
      tests: 'revoked on one instance are refused on the other within a moment',
    },
    {
      id: 'entry.half',
      text: 'Half of a sign-in ends with a change of the password, with a revocation, and when the user is disabled.',
      file: `${PORTAL}/second-factor.test.ts`,
      tests: 'the first step ends with a change of the password',
    },
    {
      id: 'entry.administrator',
      text: 'The last enabled administrator stays, also when two take the role from each other at once.',
      file: `${PORTAL}/administration.test.ts`,
      tests: 'two administrators who disable each other, or take the role from each other, leave one',
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
      id: 'entry.guessing',
      text: 'Whoever guesses passwords slows down their own address; elsewhere the right password passes, and at once in a browser that its user has used.',
      file: `${PORTAL}/sign-in.test.ts`,
      tests: 'guessing passwords locks nobody else out',
    },
    {
      id: 'entry.wrong_tokens',
      text: 'An address that tries tokens is refused after a while, and those who work there already are not.',
      file: 'test/core/mcp/rate-limits.test.ts',
      tests: 'refuse an address that guesses tokens, but not users who already work there',
    },
    {
      id: 'entry.redirects',
      text: 'No link leads anybody to an address of a stranger before they agreed.',
      file: `${OAUTH}/redirects.test.ts`,
      tests: 'a link with ${error} leads ${who} to no address of a stranger',
    },
    {
      id: 'entry.rotation',
      text: 'A used refresh token has one successor, and ends the connection when it is used later.',
      file: `${OAUTH}/tokens.test.ts`,
      tests: 'a refresh token rotates, and processes that share one do not invalidate each other',
    },
    {
      id: 'entry.https',
      text: 'A service whose address is https says so in every answer.',
      file: 'test/core/http/transport-security.test.ts',
      tests: 'a service whose address is https says so in every answer',
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
      id: 'isolation.readings',
      text: 'What somebody may not see changes none of their lists, counts, filters, facets, resources and completions.',
      file: 'test/isolation/matrix.test.ts',
      tests: 'hidden records change no list, count, filter, facet, resource or completion',
    },
    {
      id: 'isolation.names',
      text: 'A name of something hidden is answered as a name of nothing, by every tool and parameter; strangers change nothing.',
      file: 'test/isolation/matrix.test.ts',
      tests: 'a hidden name gets the same answer as an unknown name, and strangers change nothing',
    },
    {
      id: 'isolation.pages',
      text: 'No page of the portal shows or knows what is hidden.',
      file: 'test/isolation/matrix.test.ts',
      tests: 'no page of the portal shows or reveals hidden records',
    },
    {
      id: 'isolation.streams',
      text: 'No stream of updates tells of changes of what is hidden, or that it is there.',
      file: 'test/isolation/matrix.test.ts',
      tests: 'no stream reports changes of hidden records',
    },
    {
      id: 'isolation.threads',
      text: 'Conversations of others are answered as none that are.',
      file: 'test/isolation/matrix.test.ts',
      tests: 'threads of others get the same answer as threads that do not exist',
    },
    {
      id: 'isolation.proof',
      text: 'The tests of isolation find a leak that is put back.',
      file: 'test/isolation/proof.test.ts',
      tests: 'the matrix finds a reintroduced leak',
    },
    {
      id: 'isolation.replays',
      text: 'Who is removed from a project gets no answer of before again, also by an idempotency key.',
      file: 'test/isolation/other-ways.test.ts',
      tests: 'a removed member gets no stored answer',
    },
    {
      id: 'isolation.statements',
      text: 'Every statement that names a second item or project asks whether the caller may see it.',
      file: 'test/isolation/second-record.test.ts',
      tests: 'statements name a second item or project only where the caller may see it',
    },
    {
      id: 'isolation.consent',
      text: 'Until an invitation is accepted, nothing of the project reaches the invited person.',
      file: 'test/plugins/projects/invitations.test.ts',
      tests: 'until it is accepted, nothing of the project reaches the invited person',
    },
    {
      id: 'isolation.attack',
      text: '600 projects with the key of somebody, all with an invitation, change no byte of their answers and do not slow them.',
      file: 'test/sharing-attack.test.ts',
      tests: "change no byte of the victim's answers and no statement, and do not slow them",
    },
    {
      id: 'isolation.addresses',
      text: 'Inviting an address does not tell whether it has an account.',
      file: 'test/plugins/projects/invitations.test.ts',
      tests: 'the answer is the same for an address without account, of whom it waits',
    },
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
      id: 'durability.faults',
      text: 'Kills, power cuts, a full disk, a server that goes silent, a frozen instance and lost commits lose and double no acknowledged write.',
      file: 'test/faults/faults.test.ts',
      tests: '${name}: no write is lost or duplicated',
    },
    {
      id: 'lost.races',
      text: 'Everything that writes, at once on one account, ends in answers about the records, and breaks nothing.',
      file: 'test/races/races.test.ts',
      tests: 'ends in an answer about the record, and violates no invariant',
    },
    {
      id: 'durability.soak',
      text: 'Callers of every kind leave nothing growing.',
      file: 'test/faults/faults.test.ts',
      tests: 'memory, files and rows do not grow with callers of every kind [${engine}]',
    },
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
      tests: 'sent twice concurrently runs once',
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
      id: 'input.imports',
      text: 'No file of an import blocks the process, also if it is small but slow to read.',
      file: 'test/plugins/transfer/large-file.test.ts',
      tests: 'a small file does not hold the event loop: ${what}',
    },
    {
      id: 'input.webhooks',
      text: 'No webhook of a code host blocks the process, up to 25 MB.',
      file: 'test/plugins/code_refs/large-webhook.test.ts',
      tests: 'a webhook does not hold the event loop: ${what}',
    },
    {
      id: 'input.patterns',
      text: 'No pattern that texts are searched with blocks the process.',
      file: 'test/plugins/items/grep/pattern.test.ts',
      tests: 'a search does not hold the event loop: ${what}',
    },
    {
      id: 'input.files',
      text: 'Uploaded content that a browser could execute is not shown inline.',
      file: 'test/plugins/attachments/download.test.ts',
      tests: 'content that a browser could execute is not shown inline',
    },
  ],
  'What operators read': [
    {
      id: 'operators.disk',
      text: 'A full disk and a read-only folder are named in plain words, at the start and while it runs.',
      file: 'test/core/operator-messages.test.ts',
      tests: 'a full disk and a read-only folder are named',
    },
    {
      id: 'operators.outage',
      text: 'An outage of the database leaves few lines in the log, and one that counts the others.',
      file: 'test/core/operator-messages.test.ts',
      tests: 'an outage of the database leaves few lines, and one line that counts the others',
    },
    {
      id: 'operators.aborted',
      text: 'A request that its client gives up is not logged as an error.',
      file: 'test/core/operator-messages.test.ts',
      tests: 'a request that its client aborts is no error',
    },
    {
      id: 'operators.unknown',
      text: 'A form whose commit was not answered says that nobody knows whether it was saved.',
      file: 'test/plugins/portal/lost-commit.test.ts',
      tests: 'a form whose commit was not answered says that the outcome is unknown',
    },
  ],
  'Who did what': [
    {
      id: 'audit.flows',
      text: 'Every action of the list is found in the trail of whom it concerns, after a real flow.',
      file: 'test/plugins/portal/audit.test.ts',
      tests: '${action} is in the trail of the user it concerns',
    },
    {
      id: 'audit.append_only',
      text: 'Entries of the audit trail cannot be changed or removed.',
      file: 'test/core/audit.test.ts',
      tests: 'entries cannot be changed or removed',
    },
    {
      id: 'audit.readers',
      text: 'Nobody reads entries of others but administrators.',
      file: 'test/core/audit.test.ts',
      tests: 'only administrators read entries of others',
    },
    {
      id: 'audit.flood',
      text: 'A flood of wrong tokens leaves a bounded number of entries.',
      file: 'test/core/audit.test.ts',
      tests: 'a flood of wrong tokens leaves a bounded number of entries, and never fails the answer',
    },
    {
      id: 'audit.deleted',
      text: 'What waits to be stored when a user is deleted is stored without who they were.',
      file: 'test/core/audit.test.ts',
      tests: 'entries that are pending when a user is deleted are stored without identity',
    },
  ],
  'Text is data': [
    {
      id: 'text.hidden',
      text: 'Words that only a model would read reach no client.',
      file: 'test/text-is-data.test.ts',
      tests: 'hidden words reach no client, in results, listings and resources, and stay in the body for people',
    },
    {
      id: 'text.writer',
      text: 'A read of one item names who wrote it, unless that was the caller.',
      file: 'test/text-is-data.test.ts',
      tests: 'a read of one item names who wrote it, unless that was the caller',
    },
    {
      id: 'text.names',
      text: 'Sentences of the service quote the names that people, apps and imports chose.',
      file: 'test/names-in-sentences.test.ts',
      tests: 'stand within quotation marks',
    },
  ],
}
