import { defineTexts, type Language } from './language.ts'

const texts = defineTexts(
  { next: 'then:', nextIn: (program: string) => `then, in ${program}:`, environment: 'with' },
  { ja: { next: '続いて実行:', nextIn: program => `続いて ${program} で実行:`, environment: '環境変数:' } },
)

/** The setup instructions for one client. */
export interface ClientSetup {
  readonly name: string
  /** Sign-in by browser: the client needs only the URL. Null = not supported. */
  readonly browser: string | null
  /** With a token. */
  readonly token: string
}

/** Returns text to copy for common clients. @param token null = a placeholder */
export function clientSetups(language: Language, url: string, token: string | null): readonly ClientSetup[] {
  const t = texts(language)
  const value = token ?? 'svc_pat_…'
  const header = `Authorization: Bearer ${value}`
  const json = (config: object): string => JSON.stringify(config, null, 2)
  const headers = { Authorization: `Bearer ${value}` }
  return [
    {
      name: 'Claude Code',
      browser: `claude mcp add --transport http tasuki ${quoteUrl(url)}\n# ${t.nextIn('Claude Code')} /mcp`,
      token: `claude mcp add --transport http tasuki ${quoteUrl(url)} --header "${header}"`,
    },
    {
      name: 'VS Code (.vscode/mcp.json)',
      browser: json({ servers: { tasuki: { type: 'http', url } } }),
      token: json({ servers: { tasuki: { type: 'http', url, headers } } }),
    },
    {
      name: 'Cursor (~/.cursor/mcp.json)',
      browser: json({ mcpServers: { tasuki: { url } } }),
      token: json({ mcpServers: { tasuki: { url, headers } } }),
    },
    {
      name: 'Codex (~/.codex/config.toml)',
      browser: `[mcp_servers.tasuki]\nurl = "${url}"\n\n# ${t.next} codex mcp login tasuki`,
      token: `[mcp_servers.tasuki]\nurl = "${url}"\nbearer_token_env_var = "TASUKI_TOKEN"\n\n# ${t.environment} TASUKI_TOKEN=${value}`,
    },
    {
      name: 'Gemini CLI',
      browser: `gemini mcp add --transport http tasuki ${quoteUrl(url)}\n# ${t.nextIn('Gemini CLI')} /mcp auth tasuki`,
      token: `gemini mcp add --transport http --header "${header}" tasuki ${quoteUrl(url)}`,
    },
    {
      name: 'curl',
      browser: null,
      token: [
        `curl ${quoteUrl(url)} \\`,
        `  -H '${header}' -H 'Content-Type: application/json' \\`,
        `  -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2025-11-25' \\`,
        `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      ].join('\n'),
    },
  ]
}

/** A URL with a query must be quoted in a shell. */
function quoteUrl(url: string): string {
  return /^[\w:/.-]+$/.test(url) ? url : `"${url}"`
}
