import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { clockedHost } from './clock.ts'

const DUE = '2026-06-01T15:00:00.000Z'

forEachEngine('an instance that is killed', engine => {
  const start = clockedHost(engine)

  verifies(
    'templates.once',
    'leaves nothing unfinished, and another instance creates the task',
    { skip: engine === 'pglite' && 'one process at a time has the embedded database open' },
    async t => {
      const { host, set, tick, template, tasks } = await start('2026-06-01T00:00:00.000Z')
      const ref = await template({ recurrence_rule: 'FREQ=DAILY', generation_strategy: 'always' })
      const { databaseOptions } = host
      assert.ok(databaseOptions.engine === 'postgres')
      const child = spawn(
        process.execPath,
        ['--conditions=tasuki-source', join(import.meta.dirname, 'stuck-instance.ts')],
        {
          env: { ...process.env, DATABASE_URL: databaseOptions.url, NOW: DUE },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      t.after(() => child.kill('SIGKILL'))
      const [said] = await once(child.stdout, 'data')
      assert.equal(String(said), 'stuck\n')
      set(DUE)
      assert.equal(await tick(), 0, 'the other instance has it')
      child.kill('SIGKILL')
      await once(child, 'exit')
      assert.deepEqual(await tasks(ref), [])
      // The server notices the lost connection with a delay.
      let dealt = 0
      for (let tries = 0; dealt === 0 && tries < 100; tries++) {
        dealt = await tick()
        if (dealt === 0) await sleep(50)
      }
      assert.equal(dealt, 1)
      assert.deepEqual(
        (await tasks(ref)).map(task => [task.ref, task.due_date]),
        // The number that the killed process took is not reused.
        [['INBOX#3', '2026-06-02']],
      )
    },
  )
})
