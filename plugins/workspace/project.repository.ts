import { sql, type ReadContext } from 'tasuki/plugin'
import { projectColumns, readWithProject, visible, type ListedProject } from '../projects/index.ts'

/** A project as projects_list returns it. */
export interface CountedProject extends ListedProject {
  readonly ownerFeatures: Readonly<Record<string, boolean>> | null
  readonly openTasks: number
}

/** Reads the projects that the caller may see, with their numbers of open tasks: the Inbox first, then own projects, then shared ones. */
export async function readCountedProjects(ctx: ReadContext, { archived }: { readonly archived: boolean }) {
  const { rows } = await sql<CountedProject>`
    select ${projectColumns(ctx, 'p')}, u.email as owner, d.features as "ownerFeatures",
      (select count(*)::int from items.items i where i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'task'
        and i.archived_at is null and i.completed_at is null) as "openTasks"
    from projects.projects p join core.users u on u.id = p.owner_id
    left join projects.settings d on d.owner_id = p.owner_id
    where ${visible(ctx, 'p', 'id')} and ${archived ? sql.lit(true) : sql.raw('p.archived_at is null')}
    order by p.owner_id <> ${ctx.actor.userId}, p.is_inbox desc, p.key, u.email
  `.execute(ctx.db)
  return rows
}

/** The custom kinds of a project, and the number of items per kind. */
interface ProjectKinds {
  readonly kinds: readonly { readonly kind: string; readonly label: string | null }[]
  readonly counts: Readonly<Record<string, number>>
}

/** Reads the kinds of a project. @throws ToolError not_found, ambiguous_ref */
export function readProjectKinds(ctx: ReadContext, key: string): Promise<ProjectKinds> {
  return readWithProject<ProjectKinds>(
    ctx,
    key,
    sql`coalesce((select json_agg(json_build_object('kind', k.kind, 'label', k.label) order by k.display_order, k.kind)
        from items.kinds k where k.owner_id = p.owner_id and k.project_id = p.id), '[]') as kinds,
      coalesce((select json_object_agg(c.kind, c.items) from (
        select i.kind, count(*)::int as items from items.items i
        where i.owner_id = p.owner_id and i.project_id = p.id group by i.kind) c), '{}') as counts`,
  )
}
