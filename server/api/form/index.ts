import takeForm from './[form]'

/** `POST /api/form`: the default form, in every other way as a named one. */
export default takeForm
