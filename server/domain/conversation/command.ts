const COMMANDS = ['help', 'pending', 'show', 'status'] as const

/** What somebody typed, read without a model. */
export interface Command {
  /** Null when it is none of them. */
  name: typeof COMMANDS[number] | null
  /** What follows the command, as it was typed. */
  argument: string
}

/** `@form-bot`, `<@U123>`, `<@!456>`, `<@&789>`: whom the message is addressed to, as the platforms' adapters hand it on. */
const ADDRESS = /^(?:<@[!&]?\w+(?:\|[^>]*)?>|@[\p{L}\p{N}_.-]+)[\s,:;]*/u

/** Reads a command; case, a leading slash, full stops and the mention of the bot do not matter. */
export function parseCommand(text: string): Command {
  const [, word = '', argument = ''] = /^\/?(\p{L}+)[?!.,:]*(?:\s+([\s\S]*))?$/u.exec(withoutAddress(text)) ?? []
  const name = COMMANDS.find(command => command === word.toLowerCase())
  // `Show me what …` and `help! my …` are sentences, which only `show` is made to take.
  return name && (name === 'show' || !argument.trim()) ? { name, argument: argument.trim() } : { name: null, argument: '' }
}

/** The text without the mentions that it begins with; a mention at the end addresses the bot too. */
export function withoutAddress(text: string): string {
  let rest = text.trim()
  while (ADDRESS.test(rest)) rest = rest.replace(ADDRESS, '')
  return rest.replace(/\s+(?:<@[!&]?\w+(?:\|[^>]*)?>|@[\p{L}\p{N}_.-]+)$/u, '').trim()
}
