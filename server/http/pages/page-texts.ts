import { FIELD_TEXTS } from '../../../shared/field-texts'
import type { FieldProblem } from '../../ports/field-rules'
import type { PageText, PageTexts } from '../../ports/form'
import type { ErrorBody } from '../errors'
import { ranked } from '../request'

type Texts = Readonly<Record<PageText, string>>

/** Texts of our pages; `{seconds}`, `{site}` and `{limit}` are filled in when they are shown */
const BUILT_IN_TEXTS: Readonly<Record<string, Texts>> & { en: Texts } = {
  en: {
    thanks: 'Thank you!',
    received: 'Your form has arrived.',
    reference: 'Reference',
    back: 'Back to {site}',
    problem: 'That did not work',
    nothingLost: 'Go back with your browser’s Back button: what you typed is still there.',
    later: 'It may not have been saved. Please wait {seconds} s, then send it again.',
    human: 'We could not tell that a person sent this. Wait until the check on the page is done, then send it again.',
    large: 'It is too long. Please shorten it, then send it again.',
    files: 'Files cannot be sent with this form. Remove the file, then send it again.',
    filesLarge: 'The files are too large, or there are too many of them. Send fewer or smaller ones.',
    fileType: 'One of the files is of a kind that this form does not take. Choose another one, then send it again.',
    unreadable: 'It did not arrive in one piece. Please send it again.',
    refused: 'It was not saved, because this form is not set up for the website that sent it.',
    broken: 'Something went wrong on our side. Please send it again in a moment.',
    owner: 'For whoever runs the website',
    fields: 'Some of it needs another look:',
    send: 'Send',
    trap: 'Leave this empty',
    optional: 'optional',
    attach: 'Files',
    ...FIELD_TEXTS,
  },
  de: {
    thanks: 'Vielen Dank!',
    received: 'Ihr Formular ist angekommen.',
    reference: 'Vorgangsnummer',
    back: 'Zurück zu {site}',
    problem: 'Das hat nicht geklappt',
    nothingLost: 'Gehen Sie mit der Zurück-Taste Ihres Browsers zurück: Ihre Eingaben sind noch da.',
    later: 'Das Formular wurde vielleicht nicht gespeichert. Bitte warten Sie {seconds} s und senden Sie es dann noch einmal.',
    human: 'Wir konnten nicht erkennen, dass ein Mensch das Formular gesendet hat. Warten Sie, bis die Prüfung auf der Seite fertig ist, und senden Sie es dann noch einmal.',
    large: 'Das Formular ist zu lang. Bitte kürzen Sie es und senden Sie es dann noch einmal.',
    files: 'Mit diesem Formular lassen sich keine Dateien senden. Entfernen Sie die Datei und senden Sie es dann noch einmal.',
    filesLarge: 'Die Dateien sind zu groß, oder es sind zu viele. Bitte senden Sie weniger oder kleinere.',
    fileType: 'Eine der Dateien ist von einer Art, die dieses Formular nicht annimmt. Wählen Sie eine andere und senden Sie es dann noch einmal.',
    unreadable: 'Das Formular ist nicht vollständig angekommen. Bitte senden Sie es noch einmal.',
    refused: 'Es wurde nichts gespeichert, denn dieses Formular ist für die Website, die es gesendet hat, nicht eingerichtet.',
    broken: 'Bei uns ist etwas schiefgegangen. Bitte senden Sie das Formular gleich noch einmal.',
    owner: 'Für die Betreiber der Website',
    fields: 'Bitte sehen Sie sich das noch einmal an:',
    send: 'Senden',
    trap: 'Bitte leer lassen',
    optional: 'freiwillig',
    attach: 'Dateien',
    required: 'Bitte füllen Sie das aus.',
    unknown: 'Dieses Feld gibt es in diesem Formular nicht.',
    text: 'Das ist kein einzelner Text.',
    email: 'Das ist keine E-Mail-Adresse wie ada@example.com.',
    url: 'Das ist keine Webadresse wie https://example.com.',
    tel: 'Das ist keine Telefonnummer.',
    number: 'Das ist keine Zahl.',
    integer: 'Das ist keine ganze Zahl.',
    checkbox: 'Das ist weder ja noch nein.',
    date: 'Das ist kein Datum wie 2026-11-22.',
    select: 'Das steht nicht zur Auswahl.',
    file: 'Bitte wählen Sie eine Datei aus.',
    tooShort: 'Bitte mindestens {limit} Zeichen.',
    tooLong: 'Bitte höchstens {limit} Zeichen.',
    tooLow: 'Bitte mindestens {limit}.',
    tooHigh: 'Bitte höchstens {limit}.',
  },
  fr: {
    thanks: 'Merci !',
    received: 'Votre formulaire est bien arrivé.',
    reference: 'Référence',
    back: 'Retour à {site}',
    problem: 'Cela n’a pas fonctionné',
    nothingLost: 'Revenez en arrière avec le bouton « Précédent » de votre navigateur : votre saisie est toujours là.',
    later: 'Le formulaire n’a peut-être pas été enregistré. Attendez {seconds} s, puis envoyez-le à nouveau.',
    human: 'Nous n’avons pas pu vérifier qu’une personne a envoyé ce formulaire. Attendez la fin de la vérification sur la page, puis envoyez-le à nouveau.',
    large: 'Le formulaire est trop long. Raccourcissez-le, puis envoyez-le à nouveau.',
    files: 'Ce formulaire n’accepte pas de fichiers. Retirez le fichier, puis envoyez-le à nouveau.',
    filesLarge: 'Les fichiers sont trop volumineux ou trop nombreux. Envoyez-en moins, ou de plus petits.',
    fileType: 'Un des fichiers est d’un type que ce formulaire n’accepte pas. Choisissez-en un autre, puis envoyez-le à nouveau.',
    unreadable: 'Le formulaire n’est pas arrivé en entier. Envoyez-le à nouveau.',
    refused: 'Rien n’a été enregistré : ce formulaire n’est pas configuré pour le site qui l’a envoyé.',
    broken: 'Un problème est survenu de notre côté. Envoyez le formulaire à nouveau dans un instant.',
    owner: 'Pour les responsables du site',
    fields: 'Merci de revoir ces champs :',
    send: 'Envoyer',
    trap: 'Laissez ce champ vide',
    optional: 'facultatif',
    attach: 'Fichiers',
    required: 'Merci de remplir ce champ.',
    unknown: 'Ce formulaire n’a pas ce champ.',
    text: 'Ce n’est pas un texte unique.',
    email: 'Ce n’est pas une adresse e-mail, comme ada@example.com.',
    url: 'Ce n’est pas une adresse web, comme https://example.com.',
    tel: 'Ce n’est pas un numéro de téléphone.',
    number: 'Ce n’est pas un nombre.',
    integer: 'Ce n’est pas un nombre entier.',
    checkbox: 'Ce n’est ni oui ni non.',
    date: 'Ce n’est pas une date, comme 2026-11-22.',
    select: 'Ce choix n’est pas proposé.',
    file: 'Merci de choisir un fichier.',
    tooShort: 'Trop court. Nombre minimal de caractères : {limit}.',
    tooLong: 'Trop long. Nombre maximal de caractères : {limit}.',
    tooLow: 'Au moins {limit}.',
    tooHigh: 'Au plus {limit}.',
  },
  es: {
    thanks: '¡Gracias!',
    received: 'Su formulario ha llegado.',
    reference: 'Referencia',
    back: 'Volver a {site}',
    problem: 'No ha funcionado',
    nothingLost: 'Vuelva con el botón «Atrás» de su navegador: lo que escribió sigue ahí.',
    later: 'Es posible que el formulario no se haya guardado. Espere {seconds} s y envíelo de nuevo.',
    human: 'No hemos podido comprobar que lo enviara una persona. Espere a que termine la comprobación de la página y envíelo de nuevo.',
    large: 'El formulario es demasiado largo. Acórtelo y envíelo de nuevo.',
    files: 'Este formulario no admite archivos. Quite el archivo y envíelo de nuevo.',
    filesLarge: 'Los archivos son demasiado grandes o demasiados. Envíe menos, o más pequeños.',
    fileType: 'Uno de los archivos es de un tipo que este formulario no admite. Elija otro y envíelo de nuevo.',
    unreadable: 'El formulario no ha llegado completo. Envíelo de nuevo.',
    refused: 'No se ha guardado nada, porque este formulario no está configurado para el sitio web que lo envió.',
    broken: 'Algo ha fallado por nuestra parte. Envíe el formulario de nuevo en un momento.',
    owner: 'Para quien administra el sitio web',
    fields: 'Revise estos campos, por favor:',
    send: 'Enviar',
    trap: 'Deje este campo vacío',
    optional: 'opcional',
    attach: 'Archivos',
    required: 'Rellene este campo, por favor.',
    unknown: 'Este formulario no tiene ese campo.',
    text: 'No es un solo texto.',
    email: 'No es una dirección de correo, como ada@example.com.',
    url: 'No es una dirección web, como https://example.com.',
    tel: 'No es un número de teléfono.',
    number: 'No es un número.',
    integer: 'No es un número entero.',
    checkbox: 'No es ni sí ni no.',
    date: 'No es una fecha, como 2026-11-22.',
    select: 'No es una de las opciones.',
    file: 'Elija un archivo, por favor.',
    tooShort: 'Demasiado corto. Número mínimo de caracteres: {limit}.',
    tooLong: 'Demasiado largo. Número máximo de caracteres: {limit}.',
    tooLow: 'Como mínimo {limit}.',
    tooHigh: 'Como máximo {limit}.',
  },
}

/** Returns the texts in the visitor's language, and the language; English if we have no texts in it. */
export function textsFor(acceptLanguage: string, customTexts: PageTexts = {}): { language: string, texts: Texts } {
  const availableTexts = { ...BUILT_IN_TEXTS, ...customTexts }
  const preferences = ranked(acceptLanguage).filter(([, weight]) => weight > 0).sort(([, a], [, b]) => b - a)
  const tags = preferences.flatMap(([tag]) => listFallbacks(tag))
  const language = tags.find(tag => Object.hasOwn(availableTexts, tag)) ?? 'en'
  return {
    language,
    texts: listFallbacks(language).reduceRight<Texts>(
      (texts, fallback) => ({ ...texts, ...BUILT_IN_TEXTS[fallback], ...customTexts[fallback] }), BUILT_IN_TEXTS.en,
    ),
  }
}

/** Returns a language and the more general ones, nearest first: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647, 3.4). */
function listFallbacks(tag: string): string[] {
  const parts = tag.split('-')
  return parts.map((_, dropCount) => parts.slice(0, parts.length - dropCount).join('-'))
}

/** Returns the problems of fields in the visitor's language, by key. */
export function fieldTexts(problems: readonly FieldProblem[], texts: Texts): Record<string, string> {
  return Object.fromEntries(problems.map(({ key, problem, limit }) => (
    [key, texts[problem].replace('{limit}', String(limit))]
  )))
}

/** Adds the texts about wrong fields to an answer in JSON. */
export function withFields(
  { problems = [], ...refusal }: ErrorBody, acceptLanguage: string, customTexts?: PageTexts,
): ErrorBody & { fields: Record<string, string> } {
  return { ...refusal, fields: fieldTexts(problems, textsFor(acceptLanguage, customTexts).texts) }
}
