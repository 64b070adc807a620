import type { TestCaller, TestHost } from 'tasuki/testing'
import type { Conversation } from './conversation.ts'

/** The person who requests a task. */
export interface Person extends TestCaller {
  readonly email: string
  createProject(key: string): Promise<void>
  estimate(project: string, refs: readonly string[], value: string): Promise<void>
  /** Creates an item in a project. @returns its reference */
  item(project: string, title: string, more?: object): Promise<string>
  /** Creates items in order, by title. @returns their references, in the same order */
  items(project: string, titles: readonly string[], more?: object): Promise<string[]>
}

export interface World {
  readonly host: TestHost
  readonly person: Person
  readonly agent: Conversation
}

/** A request of a person to an assistant, with the calls of a model that fulfil it. */
export interface EverydayTask {
  /** The request of the person. */
  readonly ask: string
  /** Maximum number of calls; 6 unless the task works in bulks of 25. */
  readonly mostCalls?: number
  /** Does the task and checks the outcome. Only calls of `agent` count, not the preparation. */
  run(world: World): Promise<void>
}

export const MAX_CALLS = 6

export const titlesOf = (count: number, noun: string): string[] =>
  Array.from({ length: count }, (_, n) => `${noun} ${n + 1}`)
