import { enableCompileCache } from 'node:module'

enableCompileCache()
// Imported after the cache is on, so that all of the program comes from it.
const { main } = await import('./cli/main.ts')
process.exitCode = await main(process.argv.slice(2), process.env)
