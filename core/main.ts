import { enableCompileCache } from 'node:module'

enableCompileCache()
// Imported after the cache is on, so that all of the program comes from it.
const { openAhead } = await import('./cli/ahead.ts')
const argv = process.argv.slice(2)
openAhead(argv, process.env)
const { main } = await import('./cli/main.ts')
process.exitCode = await main(argv, process.env)
