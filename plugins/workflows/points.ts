import { defineHook, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { SystemStatus, WorkflowStateRow } from './state.ts'

/** States of one owner. */
export interface StateIds {
  readonly ownerId: string
  readonly stateIds: readonly string[]
}

/** A use of a state by other records. */
export interface StateUse {
  readonly stateId: string
  readonly count: number
  /** Count and noun for messages, for example `12 items`. */
  readonly text: string
}

/**
 * Finds the uses of states, which prevent their deletion; unused states are left out. Code that assigns a state locks its workflow first
 * (`for share`) and reads the states in a later statement, so that no new use appears meanwhile.
 */
export const stateUsers =
  defineHook<(ctx: ReadContext, states: StateIds) => Promise<readonly StateUse[]>>('workflows.stateUsers')

/** A state that was closed or reopened. */
export interface StateChange {
  readonly ownerId: string
  readonly stateId: string
  readonly from: SystemStatus
  readonly to: SystemStatus
}

/** Called in the same transaction after the system status of a state changed and the state was written. */
export const stateChanged =
  defineHook<(ctx: WriteContext, change: StateChange) => Promise<void>>('workflows.stateChanged')

/** The new states of a project's records after a change of its workflow. */
export interface Reassignment {
  readonly ownerId: string
  readonly projectId: string
  /** Every state of the former workflow, each with a state of the new one. */
  readonly moves: readonly StateMove[]
}
export interface StateMove {
  readonly from: WorkflowStateRow
  readonly to: WorkflowStateRow
}

/** Moves a project's records from states of its former workflow, in the same transaction, after the project changed its workflow. */
export const workflowAssigned =
  defineHook<(ctx: WriteContext, change: Reassignment) => Promise<void>>('workflows.workflowAssigned')

/** All extension points, for the plugin's declaration. */
export const points = [stateUsers, stateChanged, workflowAssigned]
