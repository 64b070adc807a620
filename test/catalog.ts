import { content } from './catalog/content.ts'
import type { CatalogTool } from './catalog/define.ts'
import { planning } from './catalog/planning.ts'
import { projects } from './catalog/projects.ts'
import { workItems } from './catalog/work-items.ts'

/** The tool catalog of the specification; a test compares it with the served tools. */
export const CATALOG: readonly CatalogTool[] = [...workItems, ...content, ...planning, ...projects]
