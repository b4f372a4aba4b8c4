import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Something that runs: a server is killed, all else is closed or stopped. */
type Running = { kill: () => unknown } | { close: () => unknown } | { stop: () => unknown }

async function end(running: Running): Promise<void> {
  await ('kill' in running ? running.kill() : 'close' in running ? running.close() : running.stop())
}

/** Ends what the file's tests share after the last of them; what began last ends first. */
export function endAfterAll<T extends Running>(running: T): T {
  afterAll(() => end(running))
  return running
}

/** Ends what one test has, or a hook before it, after that test; what began last ends first. */
export function endAfterTest<T extends Running>(running: T): T {
  onTestFinished(() => end(running))
  return running
}

function folderUntil(atEnd: (remove: () => void) => void): string {
  const dir = mkdtempSync(join(tmpdir(), 'triage-'))
  atEnd(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A folder that the file's tests share, and that is gone after the last of them. */
export const sharedFolder = () => folderUntil(afterAll)
/** A folder of one test, also of a hook before it. */
export const testFolder = () => folderUntil(onTestFinished)

/** Path of a configuration with these forms, for FORMS_CONFIG. */
export function formsFile(forms: object, dir = sharedFolder()): string {
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify(forms))
  return path
}
