import { sql, ToolError, uuid, type User, type WriteContext } from 'tasuki/plugin'
import { access } from './access.ts'
import { INBOX, projectColumns, type ProjectRow } from './find.ts'
import { FEATURES, type Feature } from './features.ts'
import { recordSettingChange } from './points.ts'

/** What keys look like. */
export const KEY_PATTERN = '^[A-Z][A-Z0-9_]{0,15}$'

export interface NewProject {
  readonly ownerId: string
  readonly key: string
  readonly name: string
  readonly description?: string | null | undefined
}

/** Creates a project; its key may be given in any case and width. @throws ToolError invalid_argument, conflict */
export async function createProject(
  ctx: WriteContext,
  { ownerId, key: given, name, description }: NewProject,
): Promise<ProjectRow> {
  const key = given.normalize('NFKC').trim().toUpperCase()
  if (!new RegExp(KEY_PATTERN).test(key)) {
    throw new ToolError('invalid_argument', `"${given}" cannot be a project key.`, {
      field: 'key',
      hint: 'Use 1 to 16 letters, digits and underscores, the first a letter, for example APP.',
    })
  }
  const { rows } = await sql<ProjectRow>`
    insert into projects.projects as p (owner_id, id, key, name, description, created_at, updated_at)
    values (${ownerId}, ${uuid()}, ${key}, ${cleanName(name)}, ${description || null}, ${ctx.now}, ${ctx.now})
    on conflict (owner_id, key) do nothing returning ${projectColumns(ctx, 'p')}
  `.execute(ctx.db)
  const row = rows[0]
  if (!row)
    throw new ToolError('conflict', `There is already a project ${key}.`, {
      field: 'key',
      hint: 'Choose another key; archived projects keep theirs.',
    })
  // A key that somebody shares with the owner means this project from now on.
  if (ownerId !== ctx.actor.userId || access(ctx).shared.some(share => share.key === key)) ctx.claimsChanged([ownerId])
  await recordSettingChange(ctx, row, { kind: 'project.created', of: row, after: row, changed: ['key', 'description'] })
  return row
}

function cleanName(name: string): string {
  const clean = name.trim()
  if (clean === '') throw new ToolError('invalid_argument', 'The name is blank.', { field: 'name' })
  return clean
}

export interface ProjectChange {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly archived?: boolean | undefined
  readonly estimateUnit?: 'none' | 'points' | 'hours' | undefined
}

const CHANGEABLE = ['name', 'description', 'archived', 'estimateUnit'] as const

/** Changes the given fields of a project; the others stay. @throws ToolError invalid_argument for archiving the Inbox */
export async function updateProject(
  ctx: WriteContext,
  project: ProjectRow,
  { name, description, archived, estimateUnit }: ProjectChange,
): Promise<ProjectRow> {
  if (project.isInbox && archived)
    throw new ToolError('invalid_argument', 'The Inbox cannot be archived.', { field: 'archived' })
  const sets = [sql`updated_at = ${ctx.now}`]
  if (name !== undefined) sets.push(sql`name = ${cleanName(name)}`)
  if (description !== undefined) sets.push(sql`description = ${description || null}`)
  if (estimateUnit !== undefined) sets.push(sql`estimate_unit = ${estimateUnit}`)
  if (archived !== undefined)
    sets.push(archived ? sql`archived_at = coalesce(archived_at, ${ctx.now})` : sql`archived_at = null`)
  const { rows } = await sql<ProjectRow>`
    update projects.projects p set ${sql.join(sets)} where p.owner_id = ${project.ownerId} and p.id = ${project.id} returning ${projectColumns(ctx, 'p')}
  `.execute(ctx.db)
  const after = rows[0] ?? project
  const changed = CHANGEABLE.filter(field => project[field] !== after[field])
  await recordSettingChange(ctx, project, { kind: 'project.changed', of: project, before: project, after, changed })
  return after
}

export interface FeatureChange {
  /** Every switch, as it was and as it is now. */
  readonly before: Readonly<Record<Feature, boolean>>
  readonly after: Readonly<Record<Feature, boolean>>
}
const FEATURE_NAMES = Object.keys(FEATURES) as Feature[]
type Switches = Readonly<Partial<Record<Feature, boolean>>>

/** Sets feature switches of one project, or the owner's defaults when no project is given. */
export async function setFeatures(
  ctx: WriteContext,
  owner: string,
  project: ProjectRow | null,
  switches: Switches,
): Promise<FeatureChange> {
  const json = JSON.stringify(switches)
  const { rows } = project
    ? await sql<{ defaults: Switches | null; before: Switches; after: Switches; members: string[] }>`
        with old as (select features from projects.projects where owner_id = ${project.ownerId} and id = ${project.id} for update)
        update projects.projects p set features = old.features || ${json}::jsonb, updated_at = ${ctx.now} from old
        where p.owner_id = ${project.ownerId} and p.id = ${project.id}
        returning (select s.features from projects.settings s where s.owner_id = p.owner_id) as defaults, old.features as before, p.features as after,
          (select coalesce(json_agg(m.user_id), '[]') from projects.members m where m.owner_id = p.owner_id and m.project_id = p.id) as members
      `.execute(ctx.db)
    : await sql<{ defaults: Switches | null; before: Switches | null; after: Switches; members: string[] }>`
        with old as (select features from projects.settings where owner_id = ${owner} for update)
        insert into projects.settings as s (owner_id, features) values (${owner}, ${json}::jsonb)
        on conflict (owner_id) do update set features = s.features || excluded.features
        returning null::jsonb as defaults, (select features from old) as before, s.features as after,
          (select coalesce(json_agg(distinct m.user_id), '[]') from projects.members m where m.owner_id = ${owner}) as members
      `.execute(ctx.db)
  const { defaults, before, after, members } = rows[0]!
  ctx.claimsChanged([owner, ...members])
  const change = { before: { ...FEATURES, ...defaults, ...before }, after: { ...FEATURES, ...defaults, ...after } }
  await recordSettingChange(ctx, project ?? { ownerId: owner, id: null }, {
    ...change,
    kind: 'features.changed',
    of: project ?? { id: owner, name: 'all projects' },
    changed: FEATURE_NAMES.filter(name => change.before[name] !== change.after[name]),
  })
  return change
}

/** Adds a member, changes its role, or removes it (role null). @throws ToolError not_found, invalid_argument */
export async function setMember(
  ctx: WriteContext,
  project: ProjectRow,
  email: string,
  role: 'editor' | 'viewer' | null,
): Promise<{ changed: boolean }> {
  // Every user has an INBOX; with a second one in sight, the key would not name the user's own any more.
  if (project.isInbox)
    throw new ToolError('invalid_argument', 'The Inbox cannot be shared.', {
      field: 'project_key',
      hint: 'Share another project.',
    })
  const { rows } = await sql<{
    id: string
  }>`select id from core.users where email = ${email.trim().toLowerCase()}`.execute(ctx.db)
  const user = rows[0]
  if (!user)
    throw new ToolError('not_found', `There is no user ${email}.`, {
      field: 'email',
      hint: 'Users are created with: tasuki user create <email>.',
    })
  if (user.id === project.ownerId)
    throw new ToolError('invalid_argument', `${email} owns ${project.key}.`, { field: 'email' })
  const done = role
    ? await sql`
        insert into projects.members as m (owner_id, project_id, user_id, role, created_at) values (${project.ownerId}, ${project.id}, ${user.id}, ${role}, ${ctx.now})
        on conflict (owner_id, project_id, user_id) do update set role = excluded.role where m.role <> excluded.role returning m.user_id`.execute(
        ctx.db,
      )
    : await sql`
        delete from projects.members where owner_id = ${project.ownerId} and project_id = ${project.id} and user_id = ${user.id} returning user_id`.execute(
        ctx.db,
      )
  ctx.claimsChanged([user.id])
  const changed = done.rows.length > 0
  if (changed)
    await recordSettingChange(ctx, project, {
      kind: 'project.member.changed',
      of: project,
      after: { user_id: user.id, role },
    })
  return { changed }
}

/** Gives users their Inbox and settings; may be repeated. */
export async function welcome(ctx: WriteContext, users: readonly Pick<User, 'id'>[]): Promise<void> {
  if (users.length === 0) return
  const inboxes = users.map(
    user =>
      sql`(${user.id}::uuid, ${uuid()}::uuid, ${INBOX}, 'Inbox', true, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz)`,
  )
  await sql`
    insert into projects.projects (owner_id, id, key, name, is_inbox, created_at, updated_at) values ${sql.join(inboxes)} on conflict (owner_id, key) do nothing
  `.execute(ctx.db)
  await sql`
    insert into projects.settings (owner_id) values ${sql.join(users.map(user => sql`(${user.id}::uuid)`))} on conflict (owner_id) do nothing
  `.execute(ctx.db)
}
