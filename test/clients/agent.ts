import type { Target } from './matrix.ts'

/** A client with a model of its own; the tests play the model from a script. */
export interface Agent {
  readonly name: string
  /** Runs the program until its model ends the conversation. @throws with the output of the program if it fails */
  converse(setting: Setting): Promise<void>
  /**
   * Signs in with nothing but the address of the service. Absent if the client is tested with a token only. @returns a note for the table
   */
  readonly signIn?: (target: Target, folder: string) => Promise<string>
}

export interface Setting {
  /** Address of the service. */
  readonly url: string
  readonly token: string
  /** Origin of the scripted model. */
  readonly model: string
  /** An empty folder: home and working directory of the program. */
  readonly folder: string
}
