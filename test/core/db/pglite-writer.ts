/** Child process of pglite-durability.test.ts: commits pairs of rows and prints each number after its commit, until it is killed. */
import { writeSync } from 'node:fs'
import { openEmbedded } from '../../../core/db/pglite/client.ts'
import { inTransaction } from './in-transaction.ts'

const [dataDir = ''] = process.argv.slice(2)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const db = await openEmbedded({ dataDir, queryTimeout: 10_000, log: quiet })
for (;;) {
  const n = await inTransaction(db, async tx => {
    const { rows } = await tx.query<{ n: number }>(
      `insert into pair (side, note) values ('left', repeat('x', 500)) returning n`,
    )
    await tx.query(`insert into pair (n, side, note) values ($1, 'right', repeat('y', 500))`, [rows[0]?.n])
    return rows[0]?.n
  })
  writeSync(1, `${n}\n`)
}
