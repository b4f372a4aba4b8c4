import release from '../../package.json' with { type: 'json' }

/** What `npm start` tells node besides its settings and what to run. */
export const startFlags = (): string[] => release.scripts.start.split(' ').filter(word => /^--(?!env-file)/.test(word))
