import type { Engine, TestHost } from 'tasuki/testing'
import { emptiedHost } from '../../shared-host.ts'

/** A host on which project_admin is on, empty for each test. */
export function adminHost(engine: Engine): () => Promise<TestHost> {
  return emptiedHost(engine, { config: { plugins: { project_admin: {} } } })
}
