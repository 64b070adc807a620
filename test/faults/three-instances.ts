import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase } from '../../core/testing/database.ts'
import { startInstance, type Instance } from './instance.ts'
import { inFolder, type Scenario } from './writing.ts'

const MINUTE = 60_000
const MANY = 20
/** Time until all reminders of a minute are sent, even if they are late. */
const LATEST_MS = 70_000

/** Kills one of three instances at the moment when reminders and recurring tasks are due. */
export const oneOfThree: Scenario = rounds =>
  inFolder(async (folder, configFile) => {
    const { url, drop } = await createTestDatabase()
    const start = (n: number): Promise<Instance> =>
      startInstance({ dataDir: join(folder, `instance ${n}`), configFile, databaseUrl: url })
    const instances = [await start(0), await start(1), await start(2)]
    const db = new pg.Client(url)
    await db.connect()
    const made = { acknowledged: 0, lost: 0, doubled: 0, seconds: 0 }
    for (let round = 0; round < rounds; round++) {
      const at = await prepare(instances[0]!, db, round)
      await sleep(at.getTime() - Date.now() - 500 + Math.random() * 3000)
      const victim = round % instances.length
      await instances[victim]!.kill()
      let found = await count(db, at)
      // A late reminder is not lost.
      while (found.lost > 0 && Date.now() < at.getTime() + LATEST_MS) {
        await sleep(1000)
        found = await count(db, at)
      }
      await sleep(2000)
      found = await count(db, at)
      for (const key of ['acknowledged', 'lost', 'doubled'] as const) made[key] += found[key]
      made.seconds = Math.max(made.seconds, found.seconds)
      instances[victim] = await start(victim)
    }
    await db.end()
    await Promise.all(instances.map(instance => instance.kill()))
    await drop()
    return { scenario: 'one of three killed', engine: 'postgres', rounds, ...made }
  })

/** Creates reminders and templates for the next full minute. */
async function prepare(instance: Instance, db: pg.Client, round: number): Promise<Date> {
  const at = new Date(Math.ceil((Date.now() + 10_000) / MINUTE) * MINUTE)
  const done = async (tool: string, args: object): Promise<Record<string, unknown>> => {
    const answer = await instance.call(tool, args)
    if (!answer?.ok) throw new Error(`${tool}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  for (let n = 0; n < MANY; n++) {
    const title = `round ${round} number ${n}`
    const { item } = (await done('items_create', { project_key: 'INBOX', title })) as { item: { ref: string } }
    await done('reminders_create', { item_ref: item.ref, remind_at: at.toISOString() })
    await done('templates_create', { project_key: 'INBOX', title, recurrence_rule: 'FREQ=HOURLY', timezone: 'UTC' })
  }
  // Templates of earlier rounds would skip this minute, because their last task is open.
  await db.query(
    `update templates.templates set dtstart = $1, starts_after = null, next_at = $2, due_at = $2 where last_occurrence is null`,
    [at.toISOString().slice(0, 19), at],
  )
  if (Date.now() > at.getTime() - 1000) throw new Error('the machine is too slow to prepare a minute')
  return at
}

async function count(db: pg.Client, at: Date) {
  const { rows } = await db.query<{ times: number; seconds: number | null }>(
    `select (select count(*) from workspace.notifications n where n.data ->> 'reminder_id' = r.id::text)::int as times,
       extract(epoch from r.sent_at - r.remind_at)::float as seconds from reminders.reminders r where r.remind_at = $1
     union all
     select count(i.*)::int, max(extract(epoch from w.created_at - i.occurrence))::float from templates.templates t
       left join templates.instances i on i.owner_id = t.owner_id and i.template_id = t.item_id and i.occurrence = $1
       left join items.items w on w.owner_id = i.owner_id and w.id = i.item_id
       where t.next_at >= $1 and t.dtstart = $2 group by t.owner_id, t.item_id`,
    [at, at.toISOString().slice(0, 19)],
  )
  return {
    acknowledged: rows.length,
    lost: rows.filter(({ times }) => times === 0).length,
    doubled: rows.filter(({ times }) => times > 1).length,
    seconds: Math.round(Math.max(0, ...rows.map(({ seconds }) => seconds ?? 0)) * 10) / 10,
  }
}
