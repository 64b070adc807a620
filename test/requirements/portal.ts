import { requirements } from './define.ts'

export const portal = [
  requirements('1-service.md Authentication, Issuing a PAT; design.md Whom it serves', 4, {
    'portal.tokens_issue':
      'a signed-in person issues a token with name and scope read or write, which is shown once and works',
    'portal.tokens_limit': 'a token can be limited in time and to projects',
    'portal.tokens_revoke': 'tokens are listed with their last use, and a revoked one is refused at once',
    'portal.revoke_everything':
      'one button ends all other sessions, connected applications and tokens, after the password or a fresh sign-in at the provider',
    'portal.confirm':
      'issuing tokens, inviting members and changing roles needs a password or fresh sign-in of the last ten minutes',
    'auth.operator_deletes':
      'the operator deletes a user with everything of theirs in tables and storage, which is said first; nothing of others changes',
    'auth.deleted_in_audit': 'the audit trail of a deleted user stays without what tells who it was',
    'auth.operator_revokes': 'the operator ends all tokens, applications and sessions of a user by one command',
    'portal.connections': 'connected applications are listed and can be disconnected, which ends their access at once',
    'portal.clients': 'the page shows how clients are set up, and how many tools each profile has',
    'portal.account': 'name, time zone, language and appearance can be changed',
  }),
  requirements('design.md Environment; reference/oauth.md §5', 4, {
    'portal.setup':
      'a first start shows a one-time link by which the owner sets a password; of two at once one becomes owner',
    'portal.recovery': 'the command line makes a link that sets a new password and ends all sessions',
    'portal.passwords':
      'passwords are argon2id, at least 12 characters, without composition rules and not the commonest',
    'portal.sessions':
      'sessions are listed, end by sign-out, sign-out everywhere, idleness and age, and are kept as hashes',
    'portal.provider':
      'by config people sign in through an OpenID provider, linked by issuer and subject, by e-mail only where that is trusted',
  }),
  requirements('1-service.md Authentication (consent screen); reference/oauth.md §2.4, §6', 4, {
    'portal.consent':
      'the consent page says who asks, for what, as whom and where the answer goes, and can be approved, narrowed to reading and to projects, or denied',
    'portal.languages': 'pages are in English and Japanese, by Accept-Language or as the person chose',
    'portal.language_switch':
      'who has chosen no language in the settings chooses one for the browser, and comes back to where they were, never elsewhere',
    'portal.app_problem':
      'an application that cannot be connected, and cannot be told, leads to a page of the portal in the language of the person',
    'portal.accessible':
      'every page passes the accessibility checker in both themes and languages, and works without scripts',
  }),
  requirements('reference/oauth.md §6 Threats', 4, {
    'portal.csrf':
      'every form is refused without its proof, with the proof of another form or person, and from another site',
    'portal.headers':
      'pages have a strict content policy, hold nothing inline, load nothing from elsewhere and cannot be framed',
    'portal.brute_force':
      'after ten failures sign-in is refused even with the right password, counted over all instances',
    'portal.enumeration': 'an unknown address is answered as a wrong password is, and takes as long',
    'portal.open_redirect': 'after sign-in the browser goes to a path of this origin alone',
    'portal.fixation': 'signing in makes a new session, whatever cookie the browser brought',
    'portal.secrets': 'no password, session, set-up code or token is in an address, the log or, in clear, the database',
  }),
  requirements('1-service.md Authentication; reference/oauth.md §2.2', 4, {
    'portal.journey':
      'official clients go from a bare 401 to tools/list through registration, sign-in and consent in a real browser; what is revoked there is refused on the next call, on every instance',
  }),
  requirements('design.md Whom it serves', 4, {
    'portal.projects':
      'projects are listed, created, described, archived and shared by role, with features, unit, workflow and kinds',
    'portal.project_parts':
      'library folders, numbering series and links to code hosts are made and changed; a webhook secret is shown once',
    'portal.rights':
      'pages follow the rules of tools: viewers look, editors change, owners set up, and nothing of others is there',
    'portal.settings':
      'what settings_list reads is shown and the language of chats chosen; notifications can be marked read',
    'portal.items':
      'the page of an item shows its fields, text and what hangs on it, safely, and its changes page by page',
    'portal.long_texts':
      'Markdown that takes too long, or makes a text that is too long, is shown as it was written, with a notice; comparisons show their beginning and how many lines are left out',
    'portal.revisions': 'a former version of a text is compared with the present one and can be restored',
    'portal.side_by_side':
      'the comparison can stand side by side, without scripts; on narrow screens it stands one below the other',
    'portal.board': 'a board shows tasks by state, narrowed by the filter language, and moves them without scripts',
    'portal.charts':
      'a sprint has a burndown with the likely end and past velocities, as charts with texts and tables beside them',
    'portal.hosts':
      'pages and posts under a name that is not one of the service are refused, and allowed_hosts adds names',
    'portal.unknown_address': 'an address that nothing serves is a page for people, and JSON for programs',
    'portal.away': 'while the database is away pages say so, with 503',
    'portal.feature_off':
      'a feature that is off in a project has no tab on its pages, and its address says which it is and where it is switched on',
    'portal.refusals':
      'what a form or page is refused for is told in the language of the person, with what to do next, at the field where there is one',
    'portal.plugins_off': 'nothing of a plugin that is off is shown or can be posted to',
    'portal.statements': 'a page sends as many statements for many rows as for few',
  }),
] as const
