import { argumentValues, contains, sql } from 'tasuki/plugin'
import { keyIs, visible } from '../projects/index.ts'
import { labelKey } from './names.ts'

const MOST = 100

/** Suggests names of labels, of one project where it is given. */
export const labelValues = argumentValues({
  argument: 'label',
  async complete(ctx, value, { project }) {
    const ofProject = project === undefined ? sql`` : sql`and ${keyIs(ctx, project)}`
    const { rows } = await sql<{ name: string }>`
      select min(l.name) as name from labels.labels l
      join projects.projects p on p.owner_id = l.owner_id and p.id = l.project_id
      where ${visible(ctx, 'l')} ${ofProject} and p.archived_at is null and l.archived_at is null
        and l.name_key like ${contains(labelKey(value))}
      group by l.name_key order by min(l.display_order), l.name_key limit ${sql.lit(MOST)}
    `.execute(ctx.db)
    return rows.map(({ name }) => name)
  },
})
