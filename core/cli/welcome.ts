/** What a first start shows: the token, once, and a config that can be pasted. */
export function welcome(
  tools: number,
  origin: string,
  { email, token }: { email: string; token: string | null },
): string {
  const url = `${origin}/mcp`
  if (token === null)
    return `\ntasuki serves ${tools} tools at ${url} for ${email}. Issue a token with: tasuki token create <name>\n\n`
  return `
tasuki serves ${tools} tools at ${url}
Owner ${email}. Your token, shown only now:

  ${token}

Claude Code:
  claude mcp add --transport http tasuki ${url} --header "Authorization: Bearer ${token}"

VS Code, Cursor and others, as JSON:
  { "mcpServers": { "tasuki": { "type": "http", "url": "${url}", "headers": { "Authorization": "Bearer ${token}" } } } }

More tokens: tasuki token create <name>. More clients: README.md.

`
}
