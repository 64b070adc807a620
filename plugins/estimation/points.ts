import { definePoint, type Expression } from 'tasuki/plugin'

/**
 * Further input of estimate suggestions, besides texts, kind and parent: a scalar SQL expression on the item `i`, a jsonb array of texts or
 * null.
 */
export const estimateFacts = definePoint<Expression<unknown>>('estimation.facts')

export const points = [estimateFacts]
