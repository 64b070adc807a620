import { readFileSync } from 'node:fs'

/** Version in package.json, two folders above the sources and three above the compiled package. */
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
