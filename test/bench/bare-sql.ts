/** Statements of the baseline: hand-written SQL for exactly these fields. */

export interface Part {
  /** Flag that requests the part; a part without a flag is always read. */
  readonly flag?: `include_${string}`
  /** Read for single items only. */
  readonly single?: true
  /** Fields of the part; the part is omitted if the service does not have these fields. */
  readonly fields: readonly string[]
  /** Objects named `more_…` are merged into the item. */
  readonly columns: string
}

/** One part per plugin that adds to items. */
export const PARTS: readonly Part[] = [
  {
    fields: ['labels'],
    columns: `(select json_agg(l.name order by l.display_order, l.id)
      from labels.item_labels il join labels.labels l on l.owner_id = il.owner_id and l.id = il.label_id
      where il.owner_id = i.owner_id and il.item_id = i.id) as labels`,
  },
  {
    flag: 'include_timestamps',
    fields: ['created_at', 'updated_at', 'completed_at', 'last_activity_at'],
    columns: 'i.created_at, i.updated_at, i.completed_at, i.last_activity_at',
  },
  {
    flag: 'include_relations',
    fields: ['parent_ref', 'parent_title', 'parent_kind'],
    columns: `(select json_build_object('parent_ref', pp.key || '#' || pi.number, 'parent_title', pi.title, 'parent_kind', pi.kind)
      from items.items pi join projects.projects pp on pp.owner_id = pi.owner_id and pp.id = pi.project_id
      where pi.owner_id = i.owner_id and pi.id = i.parent_id) as more_parent`,
  },
  {
    flag: 'include_relations',
    fields: ['relations'],
    columns: `(select json_agg(json_build_object('id', r.id, 'relation_type', r.type, 'source_ref', sp.key || '#' || si.number,
        'source_title', si.title, 'target_ref', tp.key || '#' || ti.number, 'target_title', ti.title) order by si.number, ti.number)
      from (
        select o.id, o.type, o.source_id, o.target_id from relations.relations o where o.owner_id = i.owner_id and o.source_id = i.id
        union all
        select o.id, o.type, o.source_id, o.target_id from relations.relations o
        where o.owner_id = i.owner_id and o.target_id = i.id and o.source_id <> i.id
        union all select i.id, 'parent', i.id, i.parent_id where i.parent_id is not null
        union all select c.id, 'parent', c.id, i.id from items.items c where c.owner_id = i.owner_id and c.parent_id = i.id
      ) r
      join items.items si on si.owner_id = i.owner_id and si.id = r.source_id
      join projects.projects sp on sp.owner_id = si.owner_id and sp.id = si.project_id
      join items.items ti on ti.owner_id = i.owner_id and ti.id = r.target_id
      join projects.projects tp on tp.owner_id = ti.owner_id and tp.id = ti.project_id) as relations`,
  },
  {
    fields: ['estimate'],
    columns: `(select trim_scale(e.value)::text from estimation.estimates e where e.owner_id = i.owner_id and e.item_id = i.id) as estimate`,
  },
  {
    single: true,
    fields: ['template_ref'],
    columns: `(select json_build_object('template_ref', tp.key || '#' || ti.number, 'occurrence', n.occurrence)
      from templates.instances n join items.items ti on ti.owner_id = n.owner_id and ti.id = n.template_id
      join projects.projects tp on tp.owner_id = ti.owner_id and tp.id = ti.project_id
      where n.owner_id = i.owner_id and n.item_id = i.id) as more_template`,
  },
  {
    flag: 'include_attachments',
    fields: ['attachment_count'],
    columns: `(select count(*)::int from attachments.attachments a
      where a.owner_id = i.owner_id and a.parent_id = i.id and a.parent_kind = 'item' and a.state = 'stored') as attachment_count`,
  },
  {
    flag: 'include_custom_fields',
    fields: ['custom_fields'],
    columns: `(select json_agg(json_build_object('field_key', f.field_key, 'label', f.label, 'field_type', 'text', 'value', v.value)
        order by f.display_order, f.field_key)
      from custom_fields.values v join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
      where v.owner_id = i.owner_id and v.item_id = i.id and f.is_active) as custom_fields`,
  },
  {
    flag: 'include_custom_numbers',
    fields: ['custom_numbers'],
    columns: `(select json_agg(json_build_object('series_key', ns.key, 'display_ref', ns.prefix || '-' || nn.number, 'number', nn.number) order by ns.key)
      from numbering.numbers nn join numbering.series ns on ns.owner_id = nn.owner_id and ns.id = nn.series_id
      where nn.owner_id = i.owner_id and nn.item_id = i.id) as custom_numbers`,
  },
  {
    flag: 'include_area',
    fields: ['area_id', 'area_path'],
    columns: `(select json_build_object('area_id', a.id, 'area_path', concat_ws('/', c.name, b.name, a.name))
      from areas.item_areas ia join areas.areas a on a.owner_id = ia.owner_id and a.id = ia.area_id
      left join areas.areas b on b.owner_id = a.owner_id and b.id = a.parent_id
      left join areas.areas c on c.owner_id = b.owner_id and c.id = b.parent_id
      where ia.owner_id = i.owner_id and ia.item_id = i.id) as more_area`,
  },
  {
    flag: 'include_agile',
    fields: ['resolved_field_policy'],
    columns: `(select json_agg(k.kind order by k.display_order, k.kind) from items.kinds k
      where k.owner_id = i.owner_id and k.project_id = i.project_id) as own_kinds, p.estimate_unit as own_unit, p.features as own_features`,
  },
  {
    flag: 'include_agile',
    fields: ['sprint_id', 'sprint_name', 'sprint_path'],
    columns: `(select json_build_object('sprint_id', a.id, 'sprint_name', a.name, 'sprint_path', concat_ws('/', c.name, b.name, a.name))
      from sprints.item_sprints x join sprints.sprints a on a.owner_id = x.owner_id and a.id = x.sprint_id
      left join sprints.sprints b on b.owner_id = a.owner_id and b.id = a.parent_id
      left join sprints.sprints c on c.owner_id = b.owner_id and c.id = b.parent_id
      where x.owner_id = i.owner_id and x.item_id = i.id) as more_sprint`,
  },
  {
    flag: 'include_agile',
    fields: ['version_id', 'version_name'],
    columns: `(select json_build_object('version_id', v.id, 'version_name', v.name)
      from versions.item_versions x join versions.versions v on v.owner_id = x.owner_id and v.id = x.version_id
      where x.owner_id = i.owner_id and x.item_id = i.id) as more_version`,
  },
]

const BASE = `p.key || '#' || i.number as ref, i.title, i.due_date::text as due_date, i.due_time, i.start_date::text as start_date,
  i.priority, s.name as status, s.system_status, i.kind as agile_kind, i.archived_at`
const JOINS = `join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
  join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id`

const columnsOf = (parts: readonly Part[]): string => parts.map(part => `, ${part.columns}`).join('')

/** $1 owner, $2 project key, $3 number. */
export function getSql(parts: readonly Part[]): string {
  return `select ${BASE}, s.id as status_definition_id, i.detail, i.id, i.type, p.key as project_key, s.category, s.status_attribute, s.color_hex ${columnsOf(parts)}
    from items.items i ${JOINS} where i.owner_id = $1 and p.key = $2 and i.number = $3`
}

/** $1 owner, $2 project key, $3 one more than the page. */
export function listSql(parts: readonly Part[]): string {
  return `select ${BASE}, left(i.detail, 280) as detail, length(i.detail) > 280 as detail_truncated ${columnsOf(parts)}
    from (
      select * from items.items where owner_id = $1 and type = 'task' and archived_at is null
        and project_id = (select id from projects.projects where owner_id = $1 and key = $2)
      order by due_date, due_time nulls first, number limit $3
    ) i ${JOINS} order by i.due_date, i.due_time nulls first, i.number`
}

/** $1 owner, $2 project key. Takes the next number; its row stays locked until the commit. */
export const PLACE_SQL = `
  with counted as (update items.counters set next_number = next_number + 1 where owner_id = $1 returning next_number - 1 as number)
  select counted.number, p.id as project_id, s.id, s.name, s.system_status, s.category, s.status_attribute, s.color_hex
  from counted, projects.projects p
    left join workflows.project_workflows pw on pw.owner_id = p.owner_id and pw.project_id = p.id
    join workflows.states s on s.owner_id = p.owner_id and s.is_default and s.archived_at is null and s.workflow_id = coalesce(pw.workflow_id,
      (select w.id from workflows.workflows w where w.owner_id = p.owner_id and w.is_system))
  where p.owner_id = $1 and p.key = $2 and p.archived_at is null`

export const INSERT_ITEM_SQL = `
  insert into items.items (owner_id, id, number, project_id, state_id, type, title, detail, due_date, priority, kind, created_at, updated_at, last_activity_at)
  values ($1, $2, $3, $4, $5, 'task', $6, $7, $8, $9, 'task', $10, $10, $10)`

/** $1 owner, $2 item, $3 project, $4 words, $5 now. */
export const INSERT_DOCUMENT_SQL = `
  insert into search.documents (owner_id, item_id, project_id, tsv, indexed_at)
  values ($1, $2, $3, $4::tsvector, $5)`

export const INSERT_ACTIVITY_SQL = `
  insert into workspace.activities (owner_id, id, item_id, project_id, kind, to_value, actor_kind, actor_user_id, credential_label, call, created_at)
  values ($1, $2, $3, $4, 'item.created', to_jsonb($5::text), 'agent', $1, 'bench', 'items_create', $6)`
