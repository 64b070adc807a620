import { preopenForServer } from './cli/preopen.ts'
import { rememberImports } from './cli/remembered-imports.ts'

const argv = process.argv.slice(2)
preopenForServer(argv, process.env)
rememberImports()
// Imported now, so that all of it comes this way and while the database opens.
const { main } = await import('./cli/main.ts')
process.exitCode = await main(argv, process.env)
