import type { Engine, TestHost } from 'tasuki/testing'
import { emptiedHost } from '../../shared-host.ts'

/** Opens a host with project_admin, which is emptied for each test. */
export function adminHost(engine: Engine): () => Promise<TestHost> {
  return emptiedHost(engine, { config: { plugins: { project_admin: {} } } })
}
