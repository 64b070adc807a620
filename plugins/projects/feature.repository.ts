import { compare, sql } from 'tasuki/plugin'
import type { Condition, OwnedKey, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { access } from './access.ts'
import { FEATURES, featureOn, isOnInShare, type Feature } from './features.ts'

/** Returns the SQL of the feature in the project of an alias; null if the project does not set it. */
const ownSwitch = (alias: string, feature: Feature): Condition =>
  sql`(${sql.ref(`${alias}.features`)} ->> ${sql.lit(feature)})::boolean`

/** Returns the SQL of whether a feature is on for the project of a table alias. */
export function featureColumn(ctx: ReadContext, feature: Feature, alias = 'p'): Condition {
  const own = sql<boolean>`coalesce(${ownSwitch(alias, feature)}, ${featureOn(ctx, feature)}::boolean)`
  const { shared } = access(ctx)
  if (shared.length === 0) return own
  const on = shared.filter(share => isOnInShare(share, feature)).map(({ projectId }) => projectId)
  const others = on.length === 0 ? sql.lit(false) : compare(`${alias}.id`, 'in', on)
  return sql`case when ${sql.ref(`${alias}.owner_id`)} = ${ctx.actor.userId} then ${own} else ${others} end`
}

/**
 * Returns the condition for rows of projects with a feature on, for a table with `owner_id` and `project_id`; null if all projects that the
 * caller may see have it on.
 */
export function whereFeature(ctx: ReadContext, feature: Feature, alias: string): Condition | null {
  const { overrides, shared } = access(ctx)
  const everywhere =
    featureOn(ctx, feature) &&
    overrides.every(({ features }) => features[feature] ?? true) &&
    shared.every(share => isOnInShare(share, feature))
  return everywhere
    ? null
    : sql`exists (select from projects.projects f where f.owner_id = ${sql.ref(`${alias}.owner_id`)}
        and f.id = ${sql.ref(`${alias}.project_id`)} and ${featureColumn(ctx, feature, 'f')})`
}

/**
 * Returns the SQL of whether the owner of the project `p` has a feature on for it, independent of the caller: for records of the project, and
 * for jobs.
 */
export function ownerFeature(feature: Feature): RawBuilder<boolean> {
  return sql`coalesce(${ownSwitch('p', feature)}, (
    select (st.features ->> ${sql.lit(feature)})::boolean from projects.settings st where st.owner_id = ${sql.ref('p.owner_id')}),
    ${sql.lit(FEATURES[feature])})`
}

export type Switches = Readonly<Partial<Record<Feature, boolean>>>

/** Features before and after a change, and the users whose access depends on them. */
interface SwitchChange {
  /** For a project: the features of its owner. */
  readonly defaults: Switches | null
  readonly before: Switches | null
  readonly after: Switches
  readonly members: readonly string[]
}

/** Sets features of a project. */
export async function updateProjectFeatures(ctx: WriteContext, { ownerId, id }: OwnedKey, switches: Switches) {
  const { rows } = await sql<SwitchChange>`
    with old as (select features from projects.projects where owner_id = ${ownerId} and id = ${id} for update)
    update projects.projects p set features = old.features || ${JSON.stringify(switches)}::jsonb, updated_at = ${ctx.now} from old
    where p.owner_id = ${ownerId} and p.id = ${id}
    returning (select s.features from projects.settings s where s.owner_id = p.owner_id) as defaults, old.features as before, p.features as after,
      (select coalesce(json_agg(m.user_id), '[]') from projects.members m where m.owner_id = p.owner_id and m.project_id = p.id) as members
  `.execute(ctx.db)
  return rows[0]!
}

/** Sets an owner's features for all projects. */
export async function saveOwnerFeatures(ctx: WriteContext, ownerId: string, switches: Switches): Promise<SwitchChange> {
  const { rows } = await sql<SwitchChange>`
    with old as (select features from projects.settings where owner_id = ${ownerId} for update)
    insert into projects.settings as s (owner_id, features) values (${ownerId}, ${JSON.stringify(switches)}::jsonb)
    on conflict (owner_id) do update set features = s.features || excluded.features
    returning null::jsonb as defaults, (select features from old) as before, s.features as after,
      (select coalesce(json_agg(distinct m.user_id), '[]') from projects.members m where m.owner_id = ${ownerId}) as members
  `.execute(ctx.db)
  return rows[0]!
}
