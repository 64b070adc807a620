export const SPRINTS = '/projects/:key/sprints'
export const SPRINT = `${SPRINTS}/:sprint`
