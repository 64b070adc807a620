import type { TestCaller, TestHost } from 'tasuki/testing'
import type { Conversation } from './conversation.ts'

/** The person for whom a task is done. */
export interface Person extends TestCaller {
  readonly email: string
  createProject(key: string): Promise<void>
  estimate(project: string, refs: readonly string[], value: string): Promise<void>
  /** Creates an item in a project. @returns its reference */
  item(project: string, title: string, more?: object): Promise<string>
  /** Creates items one after the other, by title. @returns their references, in the same order */
  items(project: string, titles: readonly string[], more?: object): Promise<string[]>
}

export interface World {
  readonly host: TestHost
  readonly person: Person
  readonly agent: Conversation
}

/** A request of a person to an assistant, and the calls with which a model fulfils it. */
export interface EverydayTask {
  /** What the person says. */
  readonly ask: string
  /** Most calls that it may take; 6 unless its work is in bulks of 25. */
  readonly mostCalls?: number
  /** Does the task and checks the outcome. Only calls of `agent` are counted, not the preparation. */
  run(world: World): Promise<void>
}

export const MOST_CALLS = 6

export const titlesOf = (count: number, noun: string): string[] =>
  Array.from({ length: count }, (_, n) => `${noun} ${n + 1}`)
