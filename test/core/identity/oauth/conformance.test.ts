import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { authorizationConformance } from '../../../clients/conformance-authorization.ts'
import { verifies } from '../../../verifies.ts'

const CLIENTS = join(import.meta.dirname, '../../../clients')
const suite = join(CLIENTS, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const skip = !existsSync(suite) && 'the conformance suite is not installed: npm run conformance does that'

verifies('oauth.conformance', 'the authorization server conforms to every revision', { skip }, async t => {
  const lines: string[] = []
  const failed = await authorizationConformance(suite, t, line => void lines.push(line))
  assert.deepEqual(failed, [], lines.join('\n'))
})
