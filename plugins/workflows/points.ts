import { definePoint, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { SystemStatus, WorkflowStateRow } from './state.ts'

/** States of one owner. */
export interface StateIds {
  readonly ownerId: string
  readonly stateIds: readonly string[]
}

/** Something that references a state. */
export interface StateUse {
  readonly stateId: string
  readonly count: number
  /** Count and noun for people, for example `12 items`. */
  readonly text: string
}

/**
 * Finds what still references states, so that they cannot be deleted; states without references are left out.
 * No record enters the states meanwhile, if all code that puts records into states calls `holdWorkflows` first.
 */
export const stateUsers =
  definePoint<(ctx: ReadContext, states: StateIds) => Promise<readonly StateUse[]>>('workflows.stateUsers')

/** A state that became terminal, or open again. */
export interface StateChange {
  readonly ownerId: string
  readonly stateId: string
  readonly from: SystemStatus
  readonly to: SystemStatus
}

/** Called when the system status of a state changed, in the same transaction, after the state was written. */
export const stateChanged =
  definePoint<(ctx: WriteContext, change: StateChange) => Promise<void>>('workflows.stateChanged')

/** Where records of one project go from the states of its former workflow. */
export interface Reassignment {
  readonly ownerId: string
  readonly projectId: string
  /** Every state of the former workflow, each with one state of the new one. */
  readonly moves: readonly StateMove[]
}
export interface StateMove {
  readonly from: WorkflowStateRow
  readonly to: WorkflowStateRow
}

/** Moves the records in the states of a project's former workflow, in the same transaction, after the project got another workflow. */
export const workflowAssigned =
  definePoint<(ctx: WriteContext, change: Reassignment) => Promise<void>>('workflows.workflowAssigned')

/** All points, for the plugin's declaration. */
export const points = [stateUsers, stateChanged, workflowAssigned]
