import { preopenForServer } from './cli/preopen.ts'
import { cacheImports } from './cli/import-cache.ts'

const argv = process.argv.slice(2)
preopenForServer(argv, process.env)
cacheImports()
// Imported after the two calls, so that its imports are cached and load while the database opens.
const { main } = await import('./cli/main.ts')
process.exitCode = await main(argv, process.env)
