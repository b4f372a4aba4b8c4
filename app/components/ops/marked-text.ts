import { h, type FunctionalComponent } from 'vue'

/** Form text, with what was searched for marked. White space stays as it is, which a template would add. */
const MarkedText: FunctionalComponent<{ text: string, words: readonly string[] }> = ({ text, words }) => (
  marked(text, words).map(part => part.hit
    ? h('mark', { class: 'rounded-xs bg-warning/30 text-inherit' }, part.text)
    : part.text)
)
MarkedText.props = ['text', 'words']
export default MarkedText
