import { requirements } from './define.ts'

export const calls = [
  requirements('2-endpoints.md Conventions', 2, {
    'conventions.item_ref_forms': 'every item_ref takes KEY#n and #n',
    'conventions.omitted_unchanged': 'omitting a parameter of an update leaves the value unchanged',
    'conventions.null_clears': 'null clears where the description says so',
    'conventions.date_format': 'a date is YYYY-MM-DD and exists in the calendar',
    'conventions.priority_values': 'priority is urgent, high, normal or low',
  }),
  requirements('1-service.md Resources', 2, {
    'refs.key_number': 'an item is addressed by <PROJECT_KEY>#<number>',
    'refs.bare_number': 'a bare #<number> is resolved across all projects of the owner',
    'refs.inbox_key': 'INBOX names the Inbox project',
    'paging.has_more': 'has_more and next_offset tell whether and where the next page starts',
    'paging.total_on_request': 'total is returned when requested, and only then',
  }),
  requirements('decisions.md References and names', 2, {
    'refs.tolerant': 'references are read regardless of case and full-width characters (NFKC)',
    'refs.dash_hint': 'APP-12 given where only APP#12 exists answers with that hint',
    'refs.clearing_empty': 'an empty string clears dates and references as null does',
    'refs.state_name': 'status_definition_id takes an exact state name too, case-insensitively',
    'refs.state_allowed': 'an unknown state lists the states of the workflow in allowed',
    'refs.path_matching': 'area paths are names joined by "/", matched by NFKC without case',
    'refs.bare_name_ambiguous': 'a bare area name that is not unique answers ambiguous_ref with the full paths',
  }),
  requirements('decisions.md Who owns what', 2, {
    'ownership.one_counter': 'item numbers are unique per owner, over all projects',
    'ownership.key_mismatch': 'a wrong project key answers not_found with the right reference as hint',
    'ownership.project_keys': 'project keys match ^[A-Z][A-Z0-9_]{0,15}$ and are unique per owner',
    'ownership.ambiguous_project':
      'a bare key means the own project first; where the caller owns none, several shared ones answer ambiguous_ref',
    'ownership.own_first':
      'a bare #n means own items first, then shared ones; several matches answer ambiguous_ref, and owner/KEY#n is exact',
    'ownership.member_sees_project': 'a member sees that project and no other',
    'ownership.viewer_reads': 'a viewer reads and cannot write; an editor writes',
    'ownership.invisible': 'what a caller may not see answers not_found, never forbidden, and is in no count',
    'features.override': 'feature switches are per owner, with an override per project',
    'features.defaults': 'a new owner has all features on except automatic summaries',
    'features.disabled_error':
      'a tool behind a switch that is off answers feature_disabled and says where to turn it on',
  }),
  requirements('decisions.md Results', 2, {
    'results.structured': 'a result is one JSON object as structuredContent',
    'results.text_twin': 'content[0].text is the same object, minified',
    'results.error_text_alone': 'a refused or failed call carries text alone and no structured content',
    'results.output_valid': 'every result passes the output schema of its tool',
    'results.single_noun': 'a single record is wrapped in its noun',
    'results.list_plural': 'a list is the plural noun beside has_more and next_offset',
    'results.write_changed': 'a write returns the record as it is now and changed, the names of changed fields',
    'results.write_warnings': 'a write returns warnings where there is something to say',
    'results.bulk': 'a bulk write returns results per item with succeeded and failed',
    'results.bulk_all_failed': 'a bulk write is an error result only if all failed',
    'results.delete': 'a delete returns deleted, the id and counts of what else it touched',
    'results.nulls_left_out':
      'null fields are left out, except those with meaning that were asked for and those just cleared',
    'results.utc': 'timestamps are ISO 8601 UTC with Z',
    'results.dates_stay_dates': 'dates never become instants',
    'results.ref_beside_uuid': 'a UUID never appears without the human reference or name beside it',
    'results.state_in_lists': 'listings give status as the state name with system_status, and no id',
    'results.state_in_singles': 'single reads give the whole state, once',
    'results.token_budget':
      'a created item is told in 90 tokens, a row of a listing in 42, the overview in 800, suggestions for 18 items in 1,800',
    'results.tokens': 'answers take no more tokens than the table says, which only falls',
    'results.ceiling': 'a result above the ceiling is cut at a row, with has_more, next_offset and a warning',
  }),
  requirements('decisions.md Errors', 2, {
    'errors.shape': 'a refusal is a result with isError whose text is {"error":{code,message,…}}',
    'errors.closed_codes': 'codes are the closed list',
    'errors.names_value': 'the message says what and which value; hint says what to do next',
    'errors.allowed_limit': 'allowed names at most 20 values',
    'errors.schema_failure': 'input-schema failures are such results: parameter, what was expected',
    'errors.missing_argument': 'a missing required parameter answers missing_argument naming it',
    'errors.unknown_argument': 'an unknown parameter answers unknown_argument with the nearest known one',
    'errors.all_together': 'all problems of one call are reported together',
    'errors.rpc_malformed': 'malformed JSON is JSON-RPC error -32700',
    'errors.rpc_invalid': 'a body that is no request is -32600',
    'errors.rpc_method': 'an unknown method is -32601',
    'errors.rpc_tool': 'an unknown tool is -32602',
    'errors.internal_hidden': 'an internal failure is logged with its request id and answered without its text',
    'errors.writes_nothing': 'a refused call changes nothing',
  }),
  requirements('decisions.md Items and notes', 2, {
    'idempotency.meta_key': 'every write accepts the _meta key idempotencyKey',
    'idempotency.header': 'every write accepts the HTTP header Idempotency-Key',
    'idempotency.replay': 'same key and arguments: the first result again with replayed: true, and no second effect',
    'idempotency.conflict': 'same key with other arguments answers idempotency_conflict',
    'idempotency.per_credential': 'keys are kept 24 hours per credential',
    'idempotency.concurrent': 'two calls with one key at once have one effect',
    'stale_write.named_columns':
      'a write touches only the columns it names, so concurrent patches of other fields both stay',
    'stale_write.condition':
      '_meta.ifUpdatedAt refuses a patch of a record changed since: stale_write with current values',
  }),
  requirements('decisions.md Items and notes: C tools', 2, {
    'confirm.elicitation': 'a client that can be asked is asked, with the concrete effect',
    'confirm.input_required': 'under 2026-07-28 the question is an input_required result',
    'confirm.declined': 'a declined question changes nothing',
    'confirm.token_first': 'a client that cannot be asked gets confirmation_required with details.confirm_token',
    'confirm.token_runs': 'the same call with confirm_token runs',
    'confirm.token_bound': 'the token is bound to tool, arguments and credential: else confirmation_invalid',
    'confirm.token_once': 'the token is good once, for 10 minutes',
    'confirm.page':
      'a client that opens pages and shows no forms is sent to a page of the portal; the call goes on when its user agreed there',
    'confirm.page_owner': 'the page is there for the user of the credential alone',
    'confirm.page_once':
      'an agreement on a page is good once, for its tool, arguments and credential, for 10 minutes, on any instance',
    'confirm.refused_first': 'what is not there or not allowed is refused before anybody is asked',
    'confirm.real_changes':
      'a question counts what changes and tells why others fail; nothing to change is not asked about',
    'confirm.modes': 'config chooses ask, token or off',
  }),
  requirements('decisions.md Actors', 2, {
    'actors.kinds': 'a PAT acts as agent unless issued as human; jobs and importers as system',
    'actors.kept': 'every activity keeps the name of the client and the label of the credential',
    'activities.every_write':
      'every write leaves an activity with its actor, in its transaction; one that changed nothing leaves none',
    'actors.last_activity':
      'last_activity_at moves for human and single-item assistant calls, never for bulk, agents, system',
  }),
  requirements('design.md Environment, HTTP', 2, {
    'http.healthz': '/healthz answers while the process lives',
    'http.readyz': '/readyz is 200 once migrations are done and the database answers, 503 while draining',
    'http.metrics': '/metrics serves Prometheus metrics',
    'engines.alike': 'embedded and server database behave alike',
  }),
]
