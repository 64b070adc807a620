import type { WriteContext } from '../../plugin/context.ts'
import { ToolError } from '../../plugin/errors.ts'
import { appDisconnected } from '../../runtime/audit/actions.ts'
import { isUuid } from '../../plugin/uuid.ts'
import {
  deleteConnection,
  deleteEmptyConnections,
  deleteExpiredArtifacts,
  deleteUnusedClients,
} from './artifact.repository.ts'
import { HOUR_MS } from '../../plugin/durations.ts'

/** Registration needs no credential, so the number of unused clients is limited. */
const MAX_UNUSED_CLIENTS = 10_000

/** Revokes a connection with its codes and tokens, on every instance at once. @throws ToolError not_found */
export async function disconnect(ctx: WriteContext, userId: string, id: string): Promise<void> {
  const connection = isUuid(id) ? await deleteConnection(ctx, userId, id) : undefined
  if (!connection) throw new ToolError('not_found', `There is no live connection ${id}.`, { field: 'id' })
  ctx.claimsChanged([userId])
  ctx.audit({ action: appDisconnected, userId, target: { kind: 'app', id, name: connection.clientName ?? null } })
}

/** Deletes expired artifacts, connections without tokens, and excess registrations. */
export async function deleteStaleArtifacts(ctx: WriteContext): Promise<void> {
  await deleteExpiredArtifacts(ctx)
  await deleteEmptyConnections(ctx, new Date(ctx.now.getTime() - HOUR_MS))
  await deleteUnusedClients(ctx, MAX_UNUSED_CLIENTS)
}
