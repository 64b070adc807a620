import { testHost, type Engine, type TestHost, type TestHostOptions } from 'tasuki/testing'

/** A host on which project_admin is on. */
export function adminHost(
  t: Parameters<typeof testHost>[0],
  engine: Engine,
  options: TestHostOptions = {},
): Promise<TestHost> {
  return testHost(t, { engine, config: { plugins: { project_admin: {} } }, ...options })
}
