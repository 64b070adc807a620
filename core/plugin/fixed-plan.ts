/** Marks the text of a statement with a `fixedPlan`. */
export const FIXED_PLAN = '/* fixed plan */'
