import { asSchema, type Tool, type ToolExecutionOptions } from 'ai'

/** Calls a tool as the AI SDK does, only if the input passes the schema. */
export async function callTool(tools: object, name: string, input: unknown = {}): Promise<Record<string, unknown>> {
  const tool = (tools as Record<string, Tool>)[name]
  if (!tool?.execute) throw new Error(`There is no tool ${name}.`)
  const checked = await asSchema(tool.inputSchema).validate?.(input)
  if (checked && !checked.success) throw checked.error
  const options: ToolExecutionOptions<never> = { toolCallId: 'call-1', messages: [], context: undefined as never }
  return await tool.execute(checked ? checked.value : input, options) as Record<string, unknown>
}
