import { expect, test } from 'vitest'
import { acceptedName } from '../../../../server/adapters/email/resend'

test.each([
  ['scan.com', 'application/pdf', 'scan.com.pdf'], ['Me.EXE', 'image/png', 'Me.EXE.png'],
  ['notes.bat', 'text/plain', 'notes.bat.txt'], ['rows.tmp', 'text/csv', 'rows.tmp.csv'],
  ['setup.msi', 'application/x-cfb', 'setup.msi.file'], ['scan.com. ', 'application/pdf', 'scan.com. .pdf'],
])('%j, which Resend refuses, of the type %s is attached as %j', (name, type, attached) => {
  expect(acceptedName(name, type)).toBe(attached)
})

test.each(['scan.pdf', 'scan', 'com', 'example.com.pdf', 'scan.comx', '', '…'])('%j keeps its name', (name) => {
  expect(acceptedName(name, 'application/pdf')).toBe(name)
})
