/** Notifies subscribed clients (2026-07-28) of changes in this process. A plugin with `publishes` uses it as `app.mcpPublisher`. */
export interface Publisher {
  toolsChanged(): void
  promptsChanged(): void
  resourcesChanged(): void
  resourceUpdated(uri: string): void
}
