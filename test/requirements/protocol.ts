import { requirements } from './define.ts'

export const protocol = [
  requirements('1-service.md What the service does', 2, {
    'endpoint.one_path': 'one HTTP endpoint, {base_url}/mcp, serves all tools over Streamable HTTP',
    'endpoint.tools_list_request': 'a POST with jsonrpc 2.0, an id and the method tools/list returns the tools',
    'endpoint.tools_call': 'tools/call runs a tool with its arguments and returns the result under the same id',
  }),
  requirements('MCP specification, Streamable HTTP', 2, {
    'endpoint.methods': 'GET and DELETE without a session, and all other methods, return 405 with Allow',
    'endpoint.content_type': 'a body that is not application/json returns 415',
    'endpoint.accept': 'an Accept header that allows neither JSON nor an event stream returns 406',
    'endpoint.body_limit': 'a body above the size limit returns 413 before it is parsed',
    'endpoint.ping': 'ping returns an empty result in the revisions that define it',
    'endpoint.notifications': 'a notification returns 202 without a body',
  }),
  requirements('1-service.md Versioning', 2, {
    'revisions.2025_11_25': 'revision 2025-11-25 is supported, and is offered to a client that requests an unknown one',
    'revisions.2025_06_18': 'revision 2025-06-18 is supported',
    'revisions.2025_03_26': 'revision 2025-03-26 is supported until its sunset',
    'revisions.negotiated': 'initialize returns the requested revision if it is supported',
    'revisions.unknown_header': 'an unknown MCP-Protocol-Version returns 400 with the supported revisions',
  }),
  requirements('decisions.md Protocol', 2, {
    'revisions.2026_07_28': 'the same endpoint serves revision 2026-07-28 without sessions',
    'revisions.one_table': 'one table in the code defines the revisions with their status and sunset',
    'revisions.deprecated_headers': 'responses under a deprecated revision have Deprecation and Sunset headers',
    'revisions.sunset_refused': 'from its sunset date, a revision is refused like an unknown one',
    'revisions.missing_header': 'a missing version header is handled as the protocol specifies',
    'revisions.batch': 'JSON-RPC batches are accepted only under 2025-03-26',
    'revisions.shape':
      'messages contain only the fields that their revision defines (titles, structured content, result types)',
    'revisions.discover': '2026-07-28 clients get revisions and capabilities from server/discover',
    'revisions.stateless_meta':
      '2026-07-28 requests have the revision, client and capabilities in _meta, which must match the headers',
  }),
  requirements('1-service.md Authentication', 2, {
    'auth.bearer_pat': 'Authorization: Bearer accepts a token svc_pat_…',
    'auth.scope_read': 'a token with the scope read lists and calls read-only tools',
    'auth.scope_write': 'a token with the scope write lists and calls all tools of its profile',
    'auth.token_prefix': 'tokens that the service issues start with svc_pat_',
    'auth.token_once': 'a token is shown once, and only its hash is stored',
  }),
  requirements('decisions.md Errors', 2, {
    'auth.missing': 'a missing credential returns 401 with WWW-Authenticate: Bearer resource_metadata="…"',
    'auth.invalid': 'an unknown, malformed, expired or revoked token returns the same 401',
    'auth.not_in_query': 'a token in the query string is not accepted',
    'auth.insufficient_scope': 'a write tool called with a read credential returns insufficient_scope',
    'auth.insufficient_scope_http':
      'in the revisions that require it, that is HTTP 403 with error="insufficient_scope" and scope="write"',
    'auth.unlisted': 'write tools are not listed for a read credential',
    'auth.bootstrap': 'on an empty database, BOOTSTRAP_EMAIL and BOOTSTRAP_TOKEN create the owner and a write token',
    'auth.host_origin': 'a foreign Host or Origin header is refused, even with a valid token',
  }),
  requirements('1-service.md Authentication', 4, {
    'auth.issue_in_portal': 'a user issues a token with a name and a scope in the portal under Settings, Integrations',
    'oauth.registration': 'a client registers itself (dynamic client registration)',
    'oauth.consent': 'the user approves a client on a consent screen when it connects for the first time',
    'oauth.code_flow': 'the OAuth 2.1 code flow with PKCE gives the client a token that it manages itself',
    'oauth.scope': 'the granted scope determines which tools can be called',
  }),
  requirements('decisions.md Errors, Actors', 4, {
    'oauth.metadata': 'the 401 response leads to the metadata of the resource and the authorization server',
    'oauth.actor': 'an OAuth client acts as assistant, and a portal session as human',
    'portal.members': 'users manage projects, members, features and workflows in the portal',
    'portal.code_link': 'users link a project to a repository in the portal',
  }),
  requirements('1-service.md Connection profile', 2, {
    'profiles.query': 'the query parameter profile of the endpoint selects the profile',
    'profiles.task_assistant':
      'task-assistant reads and writes tasks, notes, reminders and checklists, and only reads everything else',
    'profiles.project_ops': 'project-ops is task-assistant plus editing of workflow definitions',
    'profiles.full_access': 'full-access has all tools, like an address without profile',
  }),
  requirements('decisions.md Profiles', 2, {
    'profiles.scope_narrows': 'the scope read restricts every profile to its R tools',
    'profiles.unknown': 'an unknown profile returns HTTP 400 with the known ones',
    'profiles.outside': 'a tool outside the profile is unknown to the connection',
    'profiles.operator': 'operators define additional profiles in the config',
    'profiles.essentials': 'essentials has at most 20 tools and 3,000 tokens, for clients with a limit',
    'profiles.tools': '?tools=a,b restricts a connection to those tools',
    'profiles.names': 'values of tools and exclude that name an unknown tool, or leave no tool, are refused',
    'profiles.exclude': '?exclude=a,b removes tools from a connection',
  }),
  requirements('Tool list: order and size', 3, {
    'tools_list.order': 'tools/list has a fixed order, most used first',
    'tools_list.caps': 'for clients that truncate the list, the first 20 and the first 40 tools are a working set',
    'tools_list.size':
      'names, descriptions and input schemas have at most 12,000 tokens in full-access, 7,000 in task-assistant, and 5,000 with the scope read',
    'tools.statements':
      'a read sends one SQL statement and a write a handful, and no count depends on the number of rows',
    'schemas.anthropic': 'Anthropic accepts the input schemas',
    'schemas.openai': 'OpenAI accepts the input schemas as function tools',
    'schemas.openai_strict': 'OpenAI accepts the input schemas as strict tools, except those with maps',
    'schemas.gemini': 'Gemini and Vertex AI accept the input schemas',
    'schemas.vscode': 'VS Code accepts the input schemas',
    'schemas.cursor': 'Cursor accepts the names and the number of tools',
    'instructions.size':
      'instructions explain in 600 characters what the service is, where to start and how writes are confirmed',
    'instructions.view': 'instructions never mention a tool that the connection does not have',
  }),
  requirements('1-service.md What the service does; decisions.md Catalog, Profiles', 3, {
    'catalog.hundred': 'full-access lists exactly the 100 tools of the catalog in a default deployment',
    'catalog.counts': '40 tools are read-only and 60 write, 18 of which are destructive',
    'catalog.profile_counts': 'task-assistant lists 55 tools, project-ops 62 and full-access 100',
    'catalog.groups': 'each tool belongs to one of the twenty groups of the catalog',
  }),
  requirements('2-endpoints.md Conventions; catalog.json', 2, {
    'contract.names': 'every tool has the name and group that the catalog gives it',
    'contract.classes': 'annotations follow the class: readOnlyHint for R, destructiveHint for WD',
    'contract.required': 'the required parameters are those that the catalog marks',
    'contract.parameters': 'the parameters are those of the catalog, plus confirm_token for tools marked C',
    'contract.types': 'types, enums, defaults and limits of parameters are those of the catalog',
    'contract.nullable': 'parameters that null clears accept null, as anyOf [X, null]',
    'contract.descriptions': 'every tool has a title and a description, and every parameter has a description',
    'contract.output': 'every tool has an output schema of type object',
    'contract.portable_schemas': 'input schemas have no top-level anyOf, oneOf or allOf, and no type arrays',
    'contract.snapshots': 'the listed entry of each tool equals a committed snapshot',
    'contract.stable_order': 'the order of tools/list is stable',
    'plugins.off': 'the tools, parameters, includes and filter keys of a disabled plugin do not exist',
  }),
  requirements('Newest abilities of the protocol', 2, {
    'resources.read':
      'items, notes and sprints are resources with the content that tools return, read by one statement',
    'resources.visible': 'a resource of a record that the caller may not see is not found and never notified',
    'resources.view': 'a connection has the resources that correspond to its tools',
    'resources.never_500': 'every listed URI can be read, and any other returns not found',
    'server_card.served': 'a server card and a catalogue describe the server and its address without a credential',
    'server_card.registry': 'server.json describes the package for the MCP registry',
    'icons.revisions': 'the icons, description and website of the server are sent in the revisions that define them',
    'updates.sent':
      '2026-07-28 clients that subscribe to items, notes and sprints are notified of writes on any instance',
    'updates.visible': 'only callers who may see a record at that moment are notified of its change',
    'updates.cost': 'without subscribers, a write sends no additional statement',
    'prompts.texts': 'prompts guide a model through valid calls of tools that the connection has',
    'completion.names': 'references, project keys, sprints and labels can be completed from their beginning',
  }),
]
