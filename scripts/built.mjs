// Says what to do before `npm start`, where node would only say that it finds no module.
import { existsSync } from 'node:fs'

if (!existsSync('.output/server/index.mjs')) {
  console.error('\nThere is no build yet. Run npm run build first, or npm run demo to try the service out.\n')
  process.exit(1)
}
