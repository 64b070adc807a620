import { requirements } from './define.ts'

export const portal = [
  requirements('1-service.md Authentication, Issuing a PAT; design.md Whom it serves', 4, {
    'portal.tokens_issue':
      'a signed-in user issues a token with a name and the scope read or write; the token is shown once and works',
    'portal.tokens_limit': 'a token can have an expiry date and can be limited to projects',
    'portal.tokens_revoke': 'tokens are listed with their last use, and a revoked token is refused immediately',
    'portal.revoke_everything':
      'one button ends all other sessions, connected apps and tokens, after the user enters the password or signs in again at the provider',
    'portal.confirm':
      'issuing tokens, inviting members and changing roles requires a password or a sign-in at the provider within the last ten minutes',
    'auth.operator_deletes':
      'the operator deletes a user with all their rows and files, after a summary of them; data of other users does not change',
    'auth.deleted_in_audit': 'the audit log keeps the entries of a deleted user without anything that identifies them',
    'auth.operator_revokes': 'one command of the operator ends all tokens, apps and sessions of a user',
    'portal.connections': 'connected apps are listed, and disconnecting one ends its access immediately',
    'portal.clients': 'the page explains how to set up clients and how many tools each profile has',
    'portal.account': 'a user can change name, time zone, language and appearance',
  }),
  requirements('design.md Environment; reference/oauth.md §5', 4, {
    'portal.setup':
      'the first start prints a one-time link with which the owner sets a password; of two concurrent users, one becomes the owner',
    'portal.recovery': 'a command creates a link that sets a new password and ends all sessions',
    'portal.passwords':
      'passwords are hashed with argon2id and have at least 12 characters; there are no composition rules, and the most common passwords are refused',
    'portal.sessions':
      'sessions are listed and stored as hashes; they end by sign-out, sign-out everywhere, inactivity and age',
    'portal.provider':
      'if configured, users sign in through an OpenID provider and are matched by issuer and subject, or by e-mail only if the provider is trusted for it',
  }),
  requirements('1-service.md Authentication (consent screen); reference/oauth.md §2.4, §6', 4, {
    'portal.consent':
      'the consent page shows the app, the requested access, the user and the redirect target; the user approves, limits the access to reading or to projects, or denies',
    'portal.languages': 'pages are in English or Japanese, by Accept-Language or by the setting of the user',
    'portal.language_switch':
      'a visitor without a language setting can choose the language of the browser and returns to the same page, never to another site',
    'portal.app_problem':
      'if an app cannot be connected and cannot be redirected to, the user sees a portal page in their language',
    'portal.accessible':
      'every page passes the accessibility checker in both themes and languages, and works without scripts',
  }),
  requirements('reference/oauth.md §6 Threats', 4, {
    'portal.csrf':
      'every form is refused without its CSRF token, with the token of another form or user, and from another site',
    'portal.headers':
      'pages have a strict content security policy, contain nothing inline, load nothing from other sites and cannot be framed',
    'portal.brute_force':
      'after ten failed attempts, counted over all instances, sign-in is refused even with the right password',
    'portal.enumeration': 'an unknown e-mail address gets the same response in the same time as a wrong password',
    'portal.open_redirect': 'after sign-in the browser is redirected only to a path of the same origin',
    'portal.fixation': 'sign-in creates a new session, whatever cookie the browser sends',
    'portal.secrets':
      'no URL, log line or unencrypted database value contains a password, session, set-up code or token',
  }),
  requirements('1-service.md Authentication; reference/oauth.md §2.2', 4, {
    'portal.journey':
      'official clients get from a bare 401 through registration, sign-in and consent in a real browser to tools/list; after a revocation, every instance refuses the next call',
  }),
  requirements('design.md Whom it serves', 4, {
    'portal.projects':
      'users list, create, describe and archive projects, share them by role, and set their features, unit, workflow and kinds',
    'portal.project_parts':
      'users create and change library folders, numbering series and links to code hosts; a webhook secret is shown once',
    'portal.rights':
      'pages enforce the same rights as tools: viewers read, editors change, owners administer, and others see nothing',
    'portal.settings':
      'the settings page shows what settings_list returns, sets the language of chats, and marks notifications as read',
    'portal.items':
      'the page of an item shows its fields, its text and its related records, escapes all content, and pages through its history',
    'portal.long_texts':
      'Markdown that takes too long to render, or produces too much HTML, is shown as source with a notice; a long comparison shows its beginning and the number of omitted lines',
    'portal.revisions': 'a previous version of a text can be compared with the current one and restored',
    'portal.side_by_side': 'the comparison has a split layout without scripts, and is unified on narrow screens',
    'portal.board': 'a board shows tasks by state, filters them by the filter language, and moves them without scripts',
    'portal.charts':
      'a sprint has a burndown with its forecast and past velocities, as charts with text alternatives and tables',
    'portal.hosts': 'a request with an unknown host name is refused, and allowed_hosts adds names',
    'portal.unknown_address': 'an unknown URL returns a page to browsers and JSON to programs',
    'portal.away': 'while the database is unavailable, pages say so with status 503',
    'portal.feature_off':
      'a feature that is disabled in a project has no tab there, and its URL says which feature it is and where to enable it',
    'portal.refusals':
      'an error of a form or page is in the language of the user, gives the next step, and is shown at its field if it has one',
    'portal.plugins_off': 'pages, links and forms of a disabled plugin do not exist',
    'portal.statements': 'the number of SQL statements of a page does not depend on the number of rows',
  }),
] as const
