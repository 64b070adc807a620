import { requirements } from './define.ts'

export const protocol = [
  requirements('1-service.md What the service does', 2, {
    'endpoint.one_path': 'one HTTP endpoint {base_url}/mcp serves everything, over Streamable HTTP',
    'endpoint.tools_list_request': 'a POST with jsonrpc 2.0, an id and method tools/list lists the tools',
    'endpoint.tools_call': 'tools/call runs a tool with its arguments and answers with the same id',
  }),
  requirements('MCP specification, Streamable HTTP', 2, {
    'endpoint.methods': 'GET and DELETE without a session, and other methods, are answered 405 with Allow',
    'endpoint.content_type': 'a body that is not application/json is refused with 415',
    'endpoint.accept': 'an Accept header that allows neither JSON nor an event stream is refused with 406',
    'endpoint.body_limit': 'a body above the limit is refused with 413 before it is parsed',
    'endpoint.ping': 'ping is answered with an empty result where the revision has it',
    'endpoint.notifications': 'a notification is accepted with 202 and no body',
  }),
  requirements('1-service.md Versioning', 2, {
    'revisions.2025_11_25':
      'revision 2025-11-25 is served and is the one offered when the client asks for an unknown one',
    'revisions.2025_06_18': 'revision 2025-06-18 is served',
    'revisions.2025_03_26': 'revision 2025-03-26 is served until its sunset',
    'revisions.negotiated': 'initialize answers with the revision asked for when it is served',
    'revisions.unknown_header': 'an unknown MCP-Protocol-Version is refused with 400 naming the served ones',
  }),
  requirements('decisions.md Protocol', 2, {
    'revisions.2026_07_28': 'revision 2026-07-28 is served statelessly on the same endpoint',
    'revisions.one_table': 'one table in code holds the revisions with status and sunset',
    'revisions.deprecated_headers': 'responses under a deprecated revision carry Deprecation and Sunset headers',
    'revisions.sunset_refused': 'from its sunset date a revision is refused like an unknown one',
    'revisions.missing_header': 'a missing version header is treated as the protocol documents say',
    'revisions.batch': 'JSON-RPC batches are taken under 2025-03-26 only',
    'revisions.shape': 'each revision gets only the fields that it knows (titles, structured content, result types)',
    'revisions.discover': '2026-07-28 clients learn revisions and capabilities by server/discover',
    'revisions.stateless_meta':
      '2026-07-28 requests carry revision, client and capabilities in _meta, checked against headers',
  }),
  requirements('1-service.md Authentication', 2, {
    'auth.bearer_pat': 'a token svc_pat_… is accepted as Authorization: Bearer',
    'auth.scope_read': 'a token with scope read sees and calls read-only tools',
    'auth.scope_write': 'a token with scope write sees and calls all tools of its profile',
    'auth.token_prefix': 'tokens that the service issues start with svc_pat_',
    'auth.token_once': 'a token is shown once; only its hash is kept',
  }),
  requirements('decisions.md Errors', 2, {
    'auth.missing': 'no credential: 401 with WWW-Authenticate: Bearer resource_metadata="…"',
    'auth.invalid': 'an unknown, malformed, expired or revoked token: the same 401',
    'auth.not_in_query': 'a token in the query string is not accepted',
    'auth.insufficient_scope': 'a write tool called with a read credential answers insufficient_scope',
    'auth.insufficient_scope_http':
      'where the revision asks for it that is HTTP 403 with error="insufficient_scope", scope="write"',
    'auth.unlisted': 'write tools are not listed for a read credential',
    'auth.bootstrap': 'BOOTSTRAP_EMAIL and BOOTSTRAP_TOKEN create the owner and a write token on an empty database',
    'auth.host_origin': 'a foreign Host or Origin is refused, even with a valid token',
  }),
  requirements('1-service.md Authentication', 4, {
    'auth.issue_in_portal': 'the portal issues a token by name and scope under Settings, Integrations',
    'oauth.registration': 'a client registers itself (dynamic client registration)',
    'oauth.consent': 'the user approves on a consent screen on first connect',
    'oauth.code_flow': 'OAuth 2.1 code flow with PKCE gives the client a token that it manages',
    'oauth.scope': 'the granted scope decides the callable tools',
  }),
  requirements('decisions.md Errors, Actors', 4, {
    'oauth.metadata': 'resource and authorization server metadata are found from the 401 answer',
    'oauth.actor': 'an OAuth client acts as assistant, a portal session as human',
    'portal.members': 'projects, members, features and workflows are managed in the portal',
    'portal.code_link': 'a project is linked to a repository in the portal',
  }),
  requirements('1-service.md Connection profile', 2, {
    'profiles.query': 'the query parameter profile on the endpoint selects the profile',
    'profiles.task_assistant':
      'task-assistant: read and write for tasks, notes, reminders, checklist; read-only for the rest',
    'profiles.project_ops': 'project-ops: task-assistant plus editing of workflow definitions',
    'profiles.full_access': 'full-access is everything, the same as leaving profile unset',
  }),
  requirements('decisions.md Profiles', 2, {
    'profiles.scope_narrows': 'scope read narrows every profile to its R tools',
    'profiles.unknown': 'an unknown profile is HTTP 400 naming the known ones',
    'profiles.outside': 'a tool outside the profile is unknown to the connection',
    'profiles.operator': 'operators define more profiles in config',
    'profiles.essentials': 'essentials: at most 20 tools and 3,000 tokens, for clients with a cap',
    'profiles.tools': '?tools=a,b narrows a connection to those tools',
    'profiles.names': 'names in tools and exclude that do not exist, or leave nothing, are refused',
    'profiles.exclude': '?exclude=a,b removes tools from a connection',
  }),
  requirements('Tool list: order and size', 3, {
    'tools_list.order': 'tools/list has one fixed order, most used first',
    'tools_list.caps': 'the first 20 and the first 40 tools are a working set, for clients that cut the list',
    'tools_list.size':
      'name, description and input schema: at most 12,000 tokens in full-access, 7,000 in task-assistant, 5,000 with scope read',
    'tools.statements': 'a read sends one statement, a write a handful, and no count grows with the rows',
    'instructions.size':
      'instructions say in 600 characters what the service is, where to start and how writes are confirmed',
    'instructions.view': 'instructions never name a tool that the connection does not have',
  }),
  requirements('1-service.md What the service does; decisions.md Catalog, Profiles', 3, {
    'catalog.hundred': 'full-access lists exactly the 100 tools in a default deployment',
    'catalog.counts': '40 are read-only and 60 write, 18 of those destructive',
    'catalog.profile_counts': 'task-assistant lists 55 tools, project-ops 62, full-access 100',
    'catalog.groups': 'the tools belong to the twenty groups named',
  }),
  requirements('2-endpoints.md Conventions; catalog.json', 2, {
    'contract.names': 'every served tool is in the catalog, under its name and group',
    'contract.classes': 'annotations follow the class: readOnlyHint for R, destructiveHint for WD',
    'contract.required': 'the required parameters are those marked',
    'contract.parameters': 'no parameter is missing and none is added, except confirm_token on tools marked C',
    'contract.types': 'types, enums, defaults and limits of parameters are those of the catalog',
    'contract.nullable': 'parameters that null clears accept null, as anyOf [X, null]',
    'contract.descriptions': 'every tool has a title and a description, every parameter a description',
    'contract.output': 'every tool has an output schema of type object',
    'contract.portable_schemas': 'no top-level anyOf, oneOf or allOf and no type arrays',
    'contract.snapshots': 'the listed entry of each tool is a committed snapshot',
    'contract.stable_order': 'the order of tools/list is stable',
    'plugins.off': 'the tools, parameters, includes and filter keys of a plugin that is off do not exist',
  }),
]
