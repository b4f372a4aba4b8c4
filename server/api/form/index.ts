import takeForm from './[form]'

/** `POST /api/form`: the default form, otherwise like a named one. */
export default takeForm
