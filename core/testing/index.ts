/** A real host on a temporary database, for tests of plugins: `import { testHost } from 'tasuki/testing'`. */
export { startHost, testHost, type TestHost, type TestHostOptions } from './host.ts'
export { newBrowser, PASSWORD, proofs, type Browser, type Page, type SentFile } from './browser.ts'
export { ToolFailure, type TestCaller } from './caller.ts'
export { prepareTemplates } from './templates.ts'
export type { Engine } from './database.ts'
