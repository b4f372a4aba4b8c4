import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { StatementSync } from 'node:sqlite'

/**
 * Kills its own process at a commit, as `armCommit` (crash-points.ts) asks in the file KILL_AT_COMMIT:
 * `{ write, phase, nth }`.
 */
const file = process.env.KILL_AT_COMMIT

/** Writes of the open transaction: `create`, `put`, and `trace` for a put after which only a trace is left */
let writes = []
let seen = 0

const { run } = StatementSync.prototype
StatementSync.prototype.run = function (...values) {
  const sql = this.sourceSQL
  if (sql === 'BEGIN IMMEDIATE') writes = []
  if (sql.includes('INSERT INTO submissions')) writes.push('create')
  if (sql.includes('UPDATE submissions SET version')) writes.push(...namesOfPut(values))
  if (sql !== 'COMMIT' || writes.length === 0 || !existsSync(file)) return run.apply(this, values)
  const { write, phase, nth } = JSON.parse(readFileSync(file, 'utf8'))
  seen += writes.filter(each => each === write).length
  writeFileSync(`${file}.seen`, String(seen))
  if (seen < nth) return run.apply(this, values)
  if (phase === 'after') run.apply(this, values)
  unlinkSync(file)
  process.kill(process.pid, 'SIGKILL')
  // The signal arrives in the call above, at the latest before this wait ends.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** The record is one of the values, as JSON. */
function namesOfPut(values) {
  const record = JSON.parse(values.find(value => typeof value === 'string' && value.startsWith('{')))
  const isOver = record.state === 'settled' && !record.work?.some(({ kind }) => kind !== 'post')
  return isOver ? ['put', 'trace'] : ['put']
}
