import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Something that runs: a server is killed, all else is closed or stopped. */
type Running = { kill: () => unknown } | { close: () => unknown } | { stop: () => unknown }

/** Ends what the file's tests share after the last of them; what began last ends first. */
export function endAfterAll<T extends Running>(running: T): T {
  afterAll(async () => {
    await ('kill' in running ? running.kill() : 'close' in running ? running.close() : running.stop())
  })
  return running
}

/** A folder that the file's tests share, and that is gone after the last of them. */
export function sharedFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'triage-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Path of a configuration with these forms, for FORMS_CONFIG. */
export function formsFile(forms: object, dir = sharedFolder()): string {
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify(forms))
  return path
}
