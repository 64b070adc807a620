export type ActorKind = 'human' | 'assistant' | 'agent' | 'system'

/** The caller and its credential. */
export interface Actor {
  readonly userId: string
  readonly kind: ActorKind
  readonly scope: 'read' | 'write'
  /** Null for jobs and the command line. */
  readonly credentialId: string | null
  /** Name that the user gave the credential. */
  readonly credentialLabel: string | null
  /** Ids of the projects that the credential may access; null = all that the user may see. */
  readonly projects: readonly string[] | null
  /** Name of the client program, from the client itself. */
  readonly client: string | null
}
