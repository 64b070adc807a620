import { requirements } from './define.ts'

export const calls = [
  requirements('2-endpoints.md Conventions', 2, {
    'conventions.item_ref_forms': 'every item_ref parameter accepts KEY#n and #n',
    'conventions.omitted_unchanged': 'a parameter that an update omits leaves its value unchanged',
    'conventions.null_clears': 'null clears a value where the description of the parameter says so',
    'conventions.date_format': 'a date has the format YYYY-MM-DD and exists in the calendar',
    'conventions.priority_values': 'priority is urgent, high, normal or low',
  }),
  requirements('1-service.md Resources', 2, {
    'refs.key_number': '<PROJECT_KEY>#<number> addresses an item',
    'refs.bare_number': 'a bare #<number> is resolved across all projects of the owner',
    'refs.inbox_key': 'the project key INBOX addresses the Inbox project',
    'paging.has_more': 'has_more says whether another page exists, and next_offset where it starts',
    'paging.total_on_request': 'a listing returns total only if the call requests it',
  }),
  requirements('decisions.md References and names', 2, {
    'refs.tolerant': 'references are case-insensitive and may use full-width characters (NFKC)',
    'refs.dash_hint': 'if only APP#12 exists, the error for APP-12 suggests APP#12',
    'refs.clearing_empty': 'an empty string clears dates and references as null does',
    'refs.state_name': 'status_definition_id also accepts the exact name of a state, case-insensitively',
    'refs.state_allowed': 'the error for an unknown state lists the states of the workflow in allowed',
    'refs.path_matching': 'an area path is names joined by "/", compared case-insensitively after NFKC normalization',
    'refs.bare_name_ambiguous': 'an area name that is not unique returns ambiguous_ref with the full paths',
  }),
  requirements('decisions.md Who owns what', 2, {
    'ownership.one_counter': 'item numbers are unique across all projects of an owner',
    'ownership.key_mismatch':
      'a reference with the wrong project key returns not_found with the right reference as hint',
    'ownership.project_keys': 'project keys match ^[A-Z][A-Z0-9_]{0,15}$ and are unique per owner',
    'ownership.ambiguous_project':
      'a bare project key prefers a project that the caller owns; if none matches, several shared projects return ambiguous_ref',
    'ownership.own_first':
      'a bare #n prefers an item that the caller owns over shared ones; several matches return ambiguous_ref, and owner/KEY#n is exact',
    'ownership.member_sees_project': 'a member sees the shared project and no other project of its owner',
    'ownership.viewer_reads': 'a viewer can read but not write, and an editor can write',
    'ownership.invisible':
      'a record that the caller may not see returns not_found, never forbidden, and is included in no count',
    'features.override': 'feature switches belong to the owner, and each project can override them',
    'features.defaults': 'a new owner has all features enabled except automatic summaries',
    'features.disabled_error':
      'a tool of a disabled feature returns feature_disabled and says where to enable the feature',
  }),
  requirements('decisions.md Results', 2, {
    'results.structured': 'a tool returns one JSON object as structuredContent',
    'results.text_twin': 'content[0].text is the same object as minified JSON',
    'results.error_text_alone': 'a refused or failed call returns only text, without structured content',
    'results.output_valid': 'every result is valid against the output schema of its tool',
    'results.single_noun': 'a single record is wrapped in an object whose key is its noun',
    'results.list_plural': 'a list is returned under its plural noun, next to has_more and next_offset',
    'results.write_changed': 'a write returns the current record, and the names of its changed fields in changed',
    'results.write_warnings': 'a write returns warnings if there are any',
    'results.bulk': 'a bulk write returns one result per item, and the counts succeeded and failed',
    'results.bulk_all_failed': 'a bulk write returns an error result only if all items failed',
    'results.delete': 'a delete returns deleted, the id, and the counts of other records that it affected',
    'results.nulls_left_out':
      'null fields are omitted, except requested fields for which null has a meaning, and fields that the call cleared',
    'results.utc': 'timestamps are ISO 8601 in UTC with the suffix Z',
    'results.dates_stay_dates': 'dates are never converted to instants',
    'results.ref_beside_uuid': 'every UUID is accompanied by the human-readable reference or name',
    'results.state_in_lists': 'listings return the name of the state in status, and system_status, without an id',
    'results.state_in_singles': 'single reads return the complete state once',
    'results.token_budget':
      'results have at most 90 tokens for a created item, 42 for a listing row, 800 for the overview, and 1,800 for suggestions for 18 items',
    'results.tokens': 'results have no more tokens than the committed table says, and its values are only ever lowered',
    'results.ceiling':
      'a result above the size limit is truncated after a complete row, with has_more, next_offset and a warning',
  }),
  requirements('decisions.md Errors', 2, {
    'errors.shape': 'a refusal is a result with isError whose text is {"error":{code,message,…}}',
    'errors.closed_codes': 'every error code is in the closed list of codes',
    'errors.names_value': 'message says what is wrong and with which value; hint gives the next step',
    'errors.allowed_limit': 'allowed lists at most 20 values',
    'errors.schema_failure':
      'arguments that the input schema rejects return such a result, with the parameter and the expected value',
    'errors.missing_argument': 'a missing required parameter returns missing_argument with its name',
    'errors.unknown_argument': 'an unknown parameter returns unknown_argument with the closest known name',
    'errors.all_together': 'one error reports all problems of a call',
    'errors.rpc_malformed': 'malformed JSON returns the JSON-RPC error -32700',
    'errors.rpc_invalid': 'a body that is not a valid request returns -32600',
    'errors.rpc_method': 'an unknown method returns -32601',
    'errors.rpc_tool': 'an unknown tool returns -32602',
    'errors.internal_hidden':
      'an internal error is logged with its request id, and its text is not included in the response',
    'errors.writes_nothing': 'a refused call changes nothing',
  }),
  requirements('decisions.md Items and notes', 2, {
    'idempotency.meta_key': 'every write accepts an idempotency key in _meta.idempotencyKey',
    'idempotency.header': 'every write accepts an idempotency key in the HTTP header Idempotency-Key',
    'idempotency.replay':
      'a repeated key with the same arguments returns the first result with replayed: true and has no second effect',
    'idempotency.conflict': 'a repeated key with different arguments returns idempotency_conflict',
    'idempotency.per_credential': 'keys are stored per credential for 24 hours',
    'idempotency.concurrent': 'two concurrent calls with the same key have one effect',
    'stale_write.named_columns':
      'a write updates only the columns that it names, so concurrent patches of different fields are both kept',
    'stale_write.condition':
      'a patch with _meta.ifUpdatedAt of a record that has changed since returns stale_write with the current values',
  }),
  requirements('decisions.md Items and notes: C tools', 2, {
    'confirm.elicitation': 'a client that supports elicitation is asked to confirm, with the specific effect',
    'confirm.input_required': 'under revision 2026-07-28 the question is an input_required result',
    'confirm.declined': 'a declined confirmation changes nothing',
    'confirm.token_first':
      'a client without elicitation gets confirmation_required with a token in details.confirm_token',
    'confirm.token_runs': 'the same call with confirm_token runs',
    'confirm.token_bound':
      'the token is bound to tool, arguments and credential; any other use returns confirmation_invalid',
    'confirm.token_once': 'the token is valid once, for 10 minutes',
    'confirm.page':
      'a client that supports URL elicitation but not forms is sent to a portal page, and the call continues once its user confirms there',
    'confirm.page_owner': 'only the user of the credential can open the confirmation page',
    'confirm.page_once':
      'a confirmation on a page is valid once, for its tool, arguments and credential, for 10 minutes, on any instance',
    'confirm.refused_first': 'missing records and missing rights are reported before any question is asked',
    'confirm.real_changes':
      'a question states how many records change and why others fail; a call that changes nothing asks no question',
    'confirm.modes': 'the config setting confirm selects ask, token or off',
  }),
  requirements('decisions.md Actors', 2, {
    'actors.kinds': 'a PAT acts as agent unless it was issued as human; jobs and importers act as system',
    'actors.kept': 'every activity stores the name of the client and the label of the credential',
    'activities.every_write':
      'every write records an activity with its actor in the same transaction; a write that changes nothing records none',
    'actors.last_activity':
      'human calls and single-item assistant calls update last_activity_at; bulk tools, agents and the system do not',
  }),
  requirements('design.md Environment, HTTP', 2, {
    'http.healthz': '/healthz returns 200 while the process is alive',
    'http.readyz':
      '/readyz returns 200 once migrations have finished and the database responds, and 503 during shutdown',
    'http.metrics': '/metrics returns Prometheus metrics',
    'engines.alike': 'the embedded database and PostgreSQL give the same results',
  }),
]
