import type { Target } from './matrix.ts'

/** A client with a model of its own choice, which here plays a script. */
export interface Agent {
  readonly name: string
  /** Runs the program until its model has said its last word. @throws with its output when it fails */
  converse(setting: Setting): Promise<void>
  /** Goes to the service with its address alone, and signs in. Absent = it is tried with a token alone. @returns what to tell of it */
  readonly signIn?: (target: Target, folder: string) => Promise<string>
}

export interface Setting {
  /** Of the service. */
  readonly url: string
  readonly token: string
  /** Origin of the scripted model. */
  readonly model: string
  /** An empty folder: home and working folder of the program. */
  readonly folder: string
}
