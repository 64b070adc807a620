/** For connections on which nothing is said: TCP then notices within some 15 seconds that the other side is gone. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const
