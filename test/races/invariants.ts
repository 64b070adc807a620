import { sql } from 'kysely'
import type { TestHost } from 'tasuki/testing'

/** Queries for rows that violate an invariant, by the sentence of the invariant. `$owner` is the owner. */
const BROKEN: Readonly<Record<string, string>> = {
  'an item is in a state of the workflow of its project, which is there': `
    select i.number from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
    where i.owner_id = $owner and (s.archived_at is not null or s.workflow_id <> coalesce(
      (select pw.workflow_id from workflows.project_workflows pw where pw.owner_id = p.owner_id and pw.project_id = p.id),
      (select w.id from workflows.workflows w where w.owner_id = p.owner_id and w.is_system)))`,
  'an item is completed exactly while its state is closed': `
    select i.number from items.items i join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
    where i.owner_id = $owner and (i.completed_at is null) <> (s.system_status = 'open')`,
  'a workflow has one default state, an open and a closed one': `
    select w.name from workflows.workflows w where w.owner_id = $owner and (
      select count(*) filter (where s.is_default) <> 1 or count(*) filter (where s.system_status = 'open') = 0
        or count(*) filter (where s.system_status = 'closed') = 0
      from workflows.states s where s.owner_id = w.owner_id and s.workflow_id = w.id and s.archived_at is null)`,
  'a transition leads between states that are there': `
    select t.id from workflows.transitions t join workflows.states s on s.owner_id = t.owner_id and s.id in (t.from_state_id, t.to_state_id)
    where t.owner_id = $owner and s.archived_at is not null`,
  'no item is above itself': `
    with recursive up (start, id) as (
      select i.id, i.parent_id from items.items i where i.owner_id = $owner and i.parent_id is not null
      union select up.start, i.parent_id from up join items.items i on i.owner_id = $owner and i.id = up.id where i.parent_id is not null)
    select start from up where start = id`,
  'an item is in a sprint of its project': `
    select i.number from sprints.item_sprints m join items.items i on i.owner_id = m.owner_id and i.id = m.item_id
      join sprints.sprints s on s.owner_id = m.owner_id and s.id = m.sprint_id where m.owner_id = $owner and s.project_id <> i.project_id`,
  'an item is in a version of its project': `
    select i.number from versions.item_versions m join items.items i on i.owner_id = m.owner_id and i.id = m.item_id
      join versions.versions s on s.owner_id = m.owner_id and s.id = m.version_id where m.owner_id = $owner and s.project_id <> i.project_id`,
  'an item is in an area of its project': `
    select i.number from areas.item_areas m join items.items i on i.owner_id = m.owner_id and i.id = m.item_id
      join areas.areas s on s.owner_id = m.owner_id and s.id = m.area_id where m.owner_id = $owner and s.project_id <> i.project_id`,
  'an item has labels of its project': `
    select i.number from labels.item_labels m join items.items i on i.owner_id = m.owner_id and i.id = m.item_id
      join labels.labels s on s.owner_id = m.owner_id and s.id = m.label_id where m.owner_id = $owner and s.project_id <> i.project_id`,
  'an item that is imported is there once': `
    select i.title from items.items i where i.owner_id = $owner and i.title like 'Imported%' group by 1 having count(*) > 1`,
  'the next number is above all': `
    select c.next_number from items.counters c where c.owner_id = $owner and c.next_number <= (
      select max(i.number) from items.items i where i.owner_id = c.owner_id)`,
  'nothing is left of users who are gone': `
    select m.user_id from projects.members m where m.owner_id = $owner and not exists (select from core.users u where u.id = m.user_id)
    union all select a.user_id from core.tokens a where not exists (select from core.users u where u.id = a.user_id)`,
}

/** Returns the violated invariants of an account. */
export async function findViolations(host: TestHost, ownerId: string): Promise<string[]> {
  const broken: string[] = []
  for (const [sentence, text] of Object.entries(BROKEN)) {
    const { rows } = await sql.raw(text.replaceAll('$owner', `'${ownerId}'`)).execute(host.database.write)
    if (rows.length > 0) broken.push(`${sentence}: ${JSON.stringify(rows.slice(0, 5))}`)
  }
  return broken
}
