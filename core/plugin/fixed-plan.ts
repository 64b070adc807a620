/** How the text of a statement says that it has a `fixedPlan`. */
export const FIXED_PLAN = '/* fixed plan */'
