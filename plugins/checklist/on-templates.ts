import { keysOfGenerated, templateGenerated } from '../templates/points.ts'
import { copySteps } from './step.repository.ts'

/** A generated task gets the steps of its template. */
export const stepsGenerated = templateGenerated((ctx, generated) => copySteps(ctx, generated.map(keysOfGenerated)))
