import { readFileSync } from 'node:fs'

/** The version in package.json, which lies two folders up from the sources and three from the compiled package. */
export const VERSION: string = (
  JSON.parse(
    readFileSync(
      new URL(import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json', import.meta.url),
      'utf8',
    ),
  ) as {
    version: string
  }
).version
