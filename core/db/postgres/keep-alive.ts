/** For idle connections: TCP detects a dead peer within about 15 seconds. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const
