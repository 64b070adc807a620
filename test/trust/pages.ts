import { OPERATIONS } from './operations.ts'
import { PROMISES } from './promises.ts'
import type { Page } from './render.ts'

/** The pages that a run of the tests writes. */
export const PAGES: Readonly<Record<'trust' | 'operations', Page>> = {
  trust: {
    file: 'test/TRUST.md',
    column: 'promise',
    promises: PROMISES,
    head: `# Trust

What the service promises, the tests that hold it, and what they measured. Written by \`npm run trust\`, which runs these tests on both databases; [SECURITY.md](../SECURITY.md) has the model of threats.
`,
  },
  operations: {
    file: 'test/OPERATIONS.md',
    column: 'task',
    promises: OPERATIONS,
    head: `# Operations

What operators do, the command for it, and the tests that do the same. Written by \`npm run operations\`, which runs these tests on both databases; [config/README.md](../config/README.md) is the guide. A test that is skipped on this machine does not count as passed.
`,
  },
}
