import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** A running resource: a server is killed, anything else is closed or stopped. */
type Running = { kill: () => unknown } | { close: () => unknown } | { stop: () => unknown }

async function end(running: Running): Promise<void> {
  await ('kill' in running ? running.kill() : 'close' in running ? running.close() : running.stop())
}

/** Ends a resource shared by the file's tests after the last of them, in reverse order of start. */
export function endAfterAll<T extends Running>(running: T): T {
  afterAll(() => end(running))
  return running
}

/** Ends a resource of one test, or of a hook before it, after that test, in reverse order of start. */
export function endAfterTest<T extends Running>(running: T): T {
  onTestFinished(() => end(running))
  return running
}

function folderUntil(atEnd: (remove: () => void) => void): string {
  const dir = mkdtempSync(join(tmpdir(), 'triage-'))
  atEnd(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Creates a folder for all tests of the file; it is removed after the last test. */
export const sharedFolder = () => folderUntil(afterAll)
/** Creates a folder for one test, or for a hook before it; it is removed after the test. */
export const testFolder = () => folderUntil(onTestFinished)

/** Writes a configuration with these forms; returns its path, for FORMS_CONFIG. */
export function formsFile(forms: object, dir = sharedFolder()): string {
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify(forms))
  return path
}
