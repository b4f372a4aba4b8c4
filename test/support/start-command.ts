import release from '../../package.json' with { type: 'json' }

/** Returns the flags that `npm start` passes to node, except those for env files. */
export const startFlags = (): string[] => release.scripts.start.split(' ').filter(word => /^--(?!env-file)/.test(word))
