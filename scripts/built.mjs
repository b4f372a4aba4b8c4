// Explains how to get a build before `npm start`, because node would only report a missing module.
import { existsSync } from 'node:fs'

if (!existsSync('.output/server/index.mjs')) {
  console.error('\nThere is no build yet. Run npm run build first, or npm run demo to try the service out.\n')
  process.exit(1)
}
