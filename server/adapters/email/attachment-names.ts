/**
 * Resend refuses an email for good that has an attachment with such a name:
 * https://resend.com/docs/knowledge-base/what-attachment-types-are-not-supported
 */
const REFUSED = new Set(`
  adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf
  mag mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops
  pcd pif plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss
  vst vsw vxd ws wsc wsf wsh xnk
`.trim().split(/\s+/))

/** Where the subtype is no extension that people know, as in `text/plain`. */
const SHORT = /\/([a-z\d]{2,4})$/

/** The name, with an extension of its type behind one that Resend refuses: whoever sent a form chose it. */
export function acceptedName(name: string, type: string): string {
  const extension = /\.([a-z\d]+)[. ]*$/i.exec(name)?.[1]
  if (!extension || !REFUSED.has(extension.toLowerCase())) return name
  const known = SHORT.exec(type)?.[1] ?? (type.startsWith('text/') ? 'txt' : 'file')
  return `${name}.${known}`
}
