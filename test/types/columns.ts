/** A value of jsonb, of which the database knows nothing. */
export type Json = 'json'

/** What the migrated database has; columns that an insert may leave out are optional. Written by the test of these types. */
export interface Columns {
  'areas.areas': {
    archived_at?: string | null
    created_at: string
    description?: string | null
    display_order: number
    id: string
    name: string
    name_key: string
    owner_id: string
    parent_id?: string | null
    project_id: string
    updated_at: string
  }
  'areas.item_areas': {
    area_id: string
    item_id: string
    owner_id: string
  }
  'attachments.attachments': {
    created_at: string
    created_by: string
    expires_at?: string | null
    filename: string
    id: string
    item_id?: string | null
    mime_type: string
    owner_id: string
    parent_id: string
    parent_kind: string
    project_id?: string | null
    size: number
    state: string
    uploader: Json
  }
  'checklist.steps': {
    content: string
    created_at: string
    done?: boolean
    done_at?: string | null
    id: string
    item_id: string
    owner_id: string
    position: number
  }
  'code_refs.links': {
    created_at: string
    host: string
    id: string
    owner_id: string
    project_id: string
    repository: string
    repository_id?: string | null
    secret: string
  }
  'code_refs.references': {
    author?: string | null
    branch?: string | null
    external_id: string
    item_id: string
    kind: string
    link_id: string
    occurred_at: string
    owner_id: string
    state?: string | null
    title: string
    url: string
  }
  'code_refs.urls': {
    created_at: string
    item_id: string
    owner_id: string
    title?: string | null
    url: string
  }
  'conversations.current': {
    client: string
    credential: string
    last_at: string
    owner_id: string
    thread_id: string
  }
  'conversations.messages': {
    analyzer?: number
    code?: string | null
    content: string
    created_at: string
    id: string
    model?: string | null
    outcome?: string | null
    owner_id: string
    refs?: Json | null
    role: string
    thread_id: string
    title?: string | null
    tool?: string | null
    tsv: string
    vector?: number[] | null
  }
  'conversations.plans': {
    bound_at: string
    item_id: string
    item_owner_id: string
    owner_id: string
    thread_id: string
  }
  'conversations.threads': {
    analyzer?: number
    client: string
    closed_at?: string | null
    code?: string | null
    credential: string
    id: string
    last_at: string
    messages: number
    model?: string | null
    owner_id: string
    started_at: string
    title?: string | null
    tsv: string
    vector?: number[] | null
  }
  'core.audit': {
    action: string
    actor_id?: string | null
    actor_kind?: string | null
    address?: string | null
    at: string
    client?: string | null
    client_version?: string | null
    credential?: string | null
    credential_id?: string | null
    details: Json
    id: string
    outcome: string
    owner_id: string
    request_id?: string | null
    target?: string | null
    target_id?: string | null
    target_kind?: string | null
    times?: number
  }
  'core.confirmations': {
    credential_id: string
    digest: string
    expires_at: string
    hash: string
  }
  'core.idempotency_keys': {
    created_at: string
    credential_id: string
    digest: string
    key: string
    result?: Json | null
  }
  'core.migration_compatibility': {
    compatible_from: string
    migration: string
  }
  'core.oauth_artifacts': {
    connection_id?: string | null
    consumed_at?: string | null
    created_at: string
    expires_at?: string | null
    id: string
    kind: string
    last_used_at?: string | null
    payload: Json
    uid?: string | null
    user_id?: string | null
  }
  'core.page_confirmations': {
    agreed?: boolean | null
    client?: string | null
    created_at: string
    credential?: string | null
    credential_id: string
    decided_at?: string | null
    digest: string
    effect: string
    expires_at: string
    id: string
    owner_id: string
    tool: string
    used_at?: string | null
  }
  'core.plugins': {
    enabled: boolean
    name: string
    seen_at: string
    version: string
  }
  'core.tokens': {
    actor_kind?: string
    created_at: string
    expires_at?: string | null
    hash: string
    hint: string
    id: string
    last_used_at?: string | null
    name: string
    projects?: Json | null
    revoked_at?: string | null
    scope: string
    user_id: string
  }
  'core.users': {
    access_ended_at?: string | null
    created_at: string
    disabled_at?: string | null
    email: string
    id: string
    is_administrator?: boolean
    name: string
    time_zone?: string
  }
  'custom_fields.fields': {
    created_at: string
    display_order?: number
    field_key: string
    id: string
    is_active?: boolean
    is_required?: boolean
    label: string
    owner_id: string
    project_id: string
  }
  'custom_fields.values': {
    field_id: string
    item_id: string
    owner_id: string
    value: string
  }
  'discussions.discussions': {
    author_id: string
    author_kind: string
    author_name?: string | null
    body: string
    created_at: string
    id: string
    item_id: string
    kind?: string
    owner_id: string
    updated_at: string
  }
  'estimation.estimates': {
    item_id: string
    owner_id: string
    updated_at: string
    value: string
  }
  'items.counters': {
    next_number: number
    owner_id: string
  }
  'items.items': {
    archived_at?: string | null
    completed_at?: string | null
    created_at: string
    detail?: string
    due_date?: string | null
    due_time?: string | null
    former_keys?: Json | null
    id: string
    kind?: string
    last_activity_at: string
    number: number
    owner_id: string
    parent_id?: string | null
    priority?: number | null
    project_id: string
    start_date?: string | null
    state_id: string
    title: string
    type?: string
    updated_at: string
  }
  'items.kinds': {
    display_order?: number
    kind: string
    label?: string | null
    owner_id: string
    project_id: string
  }
  'items.revisions': {
    actor_kind: string
    created_at: string
    detail: string
    id: string
    item_id: string
    note?: string | null
    owner_id: string
    title: string
    user_id: string
  }
  'labels.item_labels': {
    item_id: string
    label_id: string
    owner_id: string
  }
  'labels.labels': {
    archived_at?: string | null
    color_hex?: string | null
    created_at: string
    description?: string | null
    display_order: number
    id: string
    name: string
    name_key: string
    owner_id: string
    project_id: string
    updated_at: string
  }
  'notes.folders': {
    created_at: string
    display_order?: number
    id: string
    name: string
    owner_id: string
    parent_id?: string | null
    project_id: string
  }
  'notes.placements': {
    display_order?: number
    folder_id: string
    item_id: string
    owner_id: string
  }
  'numbering.numbers': {
    created_at: string
    item_id: string
    number?: number | null
    owner_id: string
    series_id: string
  }
  'numbering.series': {
    created_at: string
    freeze_level?: string
    id: string
    key: string
    name: string
    next_number?: number
    owner_id: string
    prefix: string
  }
  'portal.attempts': {
    expires_at: string
    failures: number
    key: string
  }
  'portal.authenticators': {
    created_at: string
    last_step: number
    owner_id: string
    secret: string
  }
  'portal.identities': {
    created_at: string
    email?: string | null
    issuer: string
    subject: string
    user_id: string
  }
  'portal.passkeys': {
    challenged_at: string
    counter: string
    created_at: string
    credential_id: string
    id: string
    name: string
    owner_id: string
    public_key: string
    transports: string
    used_at?: string | null
  }
  'portal.passwords': {
    hash: string
    owner_id: string
    updated_at: string
  }
  'portal.preferences': {
    language?: string | null
    owner_id: string
    theme?: string | null
  }
  'portal.recovery_codes': {
    hash: string
    owner_id: string
  }
  'portal.sessions': {
    confirmed_at?: string | null
    created_at: string
    expires_at: string
    hash: string
    id: string
    ip: string
    owner_id: string
    seen_at: string
    user_agent: string
  }
  'portal.setup_links': {
    expires_at: string
    hash: string
    user_id?: string | null
  }
  'projects.declined_inviters': {
    inviter_id: string
    owner_id: string
    until: string
  }
  'projects.invitations': {
    created_at: string
    declined_at?: string | null
    email: string
    expires_at: string
    id: string
    invited_as?: string | null
    owner_id: string
    project_id: string
    role: string
    shown: boolean
    withdrawn_at?: string | null
  }
  'projects.members': {
    created_at: string
    owner_id: string
    project_id: string
    role: string
    user_id: string
  }
  'projects.projects': {
    archived_at?: string | null
    created_at: string
    description?: string | null
    estimate_unit?: string
    features?: Json
    id: string
    is_inbox?: boolean
    key: string
    name: string
    owner_id: string
    updated_at: string
  }
  'projects.settings': {
    features?: Json
    owner_id: string
  }
  'relations.relations': {
    created_at: string
    id: string
    owner_id: string
    source_id: string
    target_id: string
    type: string
  }
  'reminders.reminders': {
    created_at: string
    id: string
    item_id: string
    lead_time_minutes?: number | null
    owner_id: string
    recurrence?: Json | null
    remind_at?: string | null
    sent_at?: string | null
    status?: string
    user_id: string
  }
  'search.documents': {
    analyzer?: number
    code?: string | null
    indexed_at: string
    item_id: string
    length?: number | null
    model?: string | null
    owner_id: string
    project_id: string
    tsv: string
    vector?: number[] | null
  }
  'search.vectors': {
    dims: number
    embedding: string
    item_id: string
    model: string
    owner_id: string
    project_id: string
  }
  'search.words': {
    owner_id: string
    stem: string
    word: string
  }
  'sprints.closings': {
    closed_at: string
    done_count: number
    item_count: number
    items: Json
    owner_id: string
    sprint_id: string
    total: string
    unit: string
    velocity: string
  }
  'sprints.item_sprints': {
    item_id: string
    owner_id: string
    sprint_id: string
  }
  'sprints.notes': {
    body: string
    owner_id: string
    slot: string
    sprint_id: string
    updated_at: string
  }
  'sprints.sprints': {
    capacity?: string | null
    closed_at?: string | null
    created_at: string
    display_order: number
    end_date?: string | null
    goal?: string | null
    id: string
    name: string
    name_key: string
    owner_id: string
    parent_id?: string | null
    project_id: string
    start_date?: string | null
    started_at?: string | null
    status?: string
    updated_at: string
  }
  'summaries.summaries': {
    discussed_at: string
    discussions: number
    generated_at: string
    instead_of?: string | null
    item_id: string
    model?: string | null
    owner_id: string
    provider: string
    summary: string
  }
  'templates.instances': {
    item_id: string
    occurrence?: string | null
    owner_id: string
    template_id: string
  }
  'templates.templates': {
    dtstart: string
    due_at?: string | null
    enabled?: boolean
    ends_at?: string | null
    failures?: number
    item_id: string
    last_item_id?: string | null
    last_occurrence?: string | null
    makes?: string
    next_at?: string | null
    owner_id: string
    rule: string
    skipped?: number
    starts_after?: string | null
    strategy: string
    timezone: string
  }
  'transfer.chunks': {
    bytes: string
    n: number
    owner_id: string
    upload_id: string
  }
  'transfer.origins': {
    assignee?: string | null
    author?: string | null
    created_at: string
    format: string
    item_id: string
    key: string
    owner_id: string
    project_id: string
  }
  'transfer.uploads': {
    columns: Json
    created_at: string
    expires_at: string
    fault?: Json | null
    filename: string
    format: string
    id: string
    new_key?: string | null
    new_name?: string | null
    owner_id: string
    position?: Json | null
    project_id?: string | null
    project_owner_id?: string | null
    size: number
    state: string
    states: Json
    total: number
    updated_at: string
  }
  'versions.item_versions': {
    item_id: string
    owner_id: string
    version_id: string
  }
  'versions.versions': {
    created_at: string
    description?: string | null
    id: string
    name: string
    name_key: string
    owner_id: string
    project_id: string
    released_at?: string | null
    status?: string
    target_date?: string | null
    updated_at: string
  }
  'workflows.project_workflows': {
    owner_id: string
    project_id: string
    workflow_id: string
  }
  'workflows.states': {
    archived_at?: string | null
    category: string
    color_hex?: string | null
    description?: string | null
    display_order: number
    id: string
    is_default?: boolean
    name: string
    name_key: string
    owner_id: string
    status_attribute: string
    system_status: string
    workflow_id: string
  }
  'workflows.transitions': {
    from_state_id?: string | null
    id: string
    is_default_next?: boolean
    kind: string
    owner_id: string
    to_state_id: string
    workflow_id: string
  }
  'workflows.workflows': {
    created_at: string
    enforce_transitions?: boolean
    id: string
    is_system?: boolean
    name: string
    name_key: string
    owner_id: string
    updated_at: string
  }
  'workspace.activities': {
    actor_kind: string
    actor_user_id: string
    call: string
    client?: string | null
    created_at: string
    credential_label?: string | null
    from_value?: Json | null
    id: string
    item_id?: string | null
    kind: string
    owner_id: string
    project_id?: string | null
    reason?: string | null
    to_value?: Json | null
  }
  'workspace.notifications': {
    body?: string | null
    created_at: string
    data?: Json | null
    id: string
    item_id?: string | null
    item_owner_id?: string | null
    kind: string
    owner_id: string
    read_at?: string | null
    title: string
  }
  'workspace.settings': {
    key: string
    owner_id: string
    updated_at: string
    value: Json
  }
}
