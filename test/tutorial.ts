import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const guide = readFileSync(join(import.meta.dirname, '../plugins/README.md'), 'utf8')

/** Returns the files that the tutorial of plugins/README.md shows, by name. */
export function tutorialFiles(): Map<string, string> {
  return new Map(
    [...guide.matchAll(/^\*\*`([^`]+)`\*\*\n\n```ts\n([^]*?)^```$/gm)].map(([, file, text]) => [file!, text!]),
  )
}

/** Returns the test that the tutorial adds to those of the plugin. */
export function tutorialTest(): string {
  return /^```ts\n(test\([^]*?)^```$/m.exec(guide)![1]!
}
