/** Tells clients that listen (2026-07-28) of changes made in this process; a plugin that says `publishes` finds it as `app.mcpPublisher`. */
export interface Publisher {
  toolsChanged(): void
  promptsChanged(): void
  resourcesChanged(): void
  resourceUpdated(uri: string): void
}
