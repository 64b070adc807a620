import { createHmac, timingSafeEqual } from 'node:crypto'
import { ToolError, type OwnedKey, type ReadContext } from 'tasuki/plugin'

type Deployment = Pick<ReadContext['deployment'], 'baseUrl' | 'key'>
export type Direction = 'upload' | 'download'

/** The file of a link. */
export interface FileKey extends OwnedKey {
  /** The user of a download URL, if not the owner; the URL stops working when this user may no longer see the file. */
  readonly viewerId?: string | undefined
  /** The credential that asked for a download URL, if any; the URL stops working when it is revoked or may no longer see the file. */
  readonly credentialId?: string | undefined
}

/** Creates a signed URL that serves or accepts one file until it expires, without a credential. */
export function signLink(deployment: Deployment, direction: Direction, file: FileKey, expiresAt: Date): string {
  const { ownerId, id, viewerId, credentialId } = file
  const expires = Math.floor(expiresAt.getTime() / 1000)
  const signature = sign(deployment, direction, file, expires).toString('base64url')
  const viewer = viewerId === undefined ? '' : `viewer=${viewerId}&`
  const credential = credentialId === undefined ? '' : `credential=${credentialId}&`
  return `${deployment.baseUrl()}/attachments/${direction}/${ownerId}/${id}?${viewer}${credential}expires=${expires}&signature=${signature}`
}

/** @returns when the link expires @throws ToolError forbidden if the link was altered, is incomplete or has expired */
export function verifyLink(
  deployment: Deployment,
  direction: Direction,
  file: FileKey,
  query: Readonly<Record<string, unknown>>,
  now: Date,
): Date {
  const { expires, signature } = query
  const valid =
    typeof expires === 'string' &&
    /^\d{10,12}$/.test(expires) &&
    typeof signature === 'string' &&
    equal(Buffer.from(signature, 'base64url'), sign(deployment, direction, file, Number(expires)))
  if (!valid)
    throw new ToolError('forbidden', 'The address is not one that this service gave out.', {
      hint: renewalHint(direction),
    })
  if (Number(expires) * 1000 <= now.getTime())
    throw new ToolError('forbidden', 'The address has expired.', { hint: renewalHint(direction) })
  return new Date(Number(expires) * 1000)
}

function renewalHint(direction: Direction): string {
  return `Call attachments_${direction} for a new one.`
}

/** Signs the direction too, so that a download URL cannot upload. */
function sign(
  deployment: Deployment,
  direction: Direction,
  { ownerId, id, viewerId, credentialId }: FileKey,
  expires: number,
): Buffer {
  return createHmac('sha256', deployment.key('attachments links'))
    .update(JSON.stringify([direction, ownerId, id, expires, viewerId, credentialId]))
    .digest()
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns the time some minutes from now, in whole seconds as in links. */
export function minutesFrom(ctx: Pick<ReadContext, 'now'>, minutes: number): Date {
  return new Date((Math.floor(ctx.now.getTime() / 1000) + minutes * 60) * 1000)
}
