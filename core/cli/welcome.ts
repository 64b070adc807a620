import type { FirstStart } from '../host/first-start.ts'
import { formatCount } from '../plugin/format-count.ts'

/** Returns the output of a first start: the token, shown once, configs to paste, and the messages of plugins. */
export function formatWelcome(tools: number, origin: string, { email, token, notes }: FirstStart): string {
  const url = `${origin}/mcp`
  return [
    `tasuki serves ${formatCount(tools, 'tool')} at ${url}`,
    ...formatCredential(url, email, token),
    ...notes.map(note => note(origin)),
  ]
    .map(part => `\n${part}\n`)
    .join('')
    .concat('\n')
}

const asJson = (shape: object): string => `  ${JSON.stringify(shape)}`

function formatCredential(url: string, email: string | null, token: string | null): readonly string[] {
  if (email === null) return ['There is no user yet.']
  if (token === null) return [`Owner ${email}. Issue a token with: tasuki token create <name>`]
  const headers = { Authorization: `Bearer ${token}` }
  return [
    `Owner ${email}. Your token, shown only now:

  ${token}

Claude Code:
  claude mcp add --transport http tasuki ${url} --header "Authorization: Bearer ${token}"

VS Code, .vscode/mcp.json:
${asJson({ servers: { tasuki: { type: 'http', url, headers } } })}

Cursor, .cursor/mcp.json, and most others:
${asJson({ mcpServers: { tasuki: { url, headers } } })}

More tokens: tasuki token create <name>. More clients: README.md.`,
  ]
}
