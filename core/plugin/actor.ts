export type ActorKind = 'human' | 'assistant' | 'agent' | 'system'

/** Who is calling, and by which credential. */
export interface Actor {
  readonly userId: string
  readonly kind: ActorKind
  readonly scope: 'read' | 'write'
  /** Null for jobs and the command line. */
  readonly credentialId: string | null
  /** The name that the user gave the credential. */
  readonly credentialLabel: string | null
  /** Ids of the projects that the credential is limited to; null = all that the user may see. */
  readonly projects: readonly string[] | null
  /** Name of the client program, as it introduced itself. */
  readonly client: string | null
}
