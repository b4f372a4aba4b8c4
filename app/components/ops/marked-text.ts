import { h, type FunctionalComponent } from 'vue'

/** Form text with search hits marked. A render function, because a template would add white space. */
const MarkedText: FunctionalComponent<{ text: string, words: readonly string[] }> = ({ text, words }) => (
  marked(text, words).map(part => part.hit
    ? h('mark', { class: 'rounded-xs bg-warning/30 text-inherit' }, part.text)
    : part.text)
)
MarkedText.props = ['text', 'words']
export default MarkedText
