/** The page for a person whose authorization request cannot even be answered to the app. */
export function problemPage(error: string, description: string | undefined): string {
  const stale = error === 'invalid_client'
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>This app could not be connected</title>
<h1>This app could not be connected</h1>
<p>${escaped(description ?? error)} <code>(${escaped(error)})</code></p>
${stale ? STALE : '<p>Start again from the app. If that does not help, remove the connection there and add it anew.</p>'}
</html>
`
}

const STALE = `<p>The app uses a registration that this server does not know any more. Remove the connection in the app, then add it again:</p>
<ul>
<li>Claude Code: <code>/mcp</code>, choose the server, Clear authentication</li>
<li>Claude, ChatGPT: remove the connector and add it again</li>
<li>VS Code: the command “Authentication: Remove Dynamic Authentication Providers”</li>
<li>Cursor: remove the server in the MCP settings and add it again</li>
<li>Codex: <code>codex mcp logout</code>, then <code>codex mcp login</code></li>
<li>mcp-remote: delete <code>~/.mcp-auth</code></li>
</ul>`

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
