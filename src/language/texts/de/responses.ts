import type { ResponseTexts } from "../en/responses.ts";

/** Texts of responses. */
export const responseTexts: ResponseTexts = {
  statuses: {
    400: ["Ungültige Anfrage", "Der Browser hat eine Anfrage gesendet, die diese Website nicht lesen kann."],
    401: ["Bitte melden Sie sich an", "Diese Seite ist nur nach einer Anmeldung zugänglich."],
    403: [
      "Nicht erlaubt",
      "Dazu fehlt Ihnen die Berechtigung. Falls Sie ein Formular gesendet haben: Gehen Sie zurück, laden Sie die Seite neu und senden Sie es noch einmal.",
    ],
    404: [
      "Seite nicht gefunden",
      "Unter dieser Adresse gibt es nichts. Vielleicht wurde die Seite verschoben, oder es gab sie nie.",
    ],
    405: ["Hier nicht möglich", "Diese Adresse gibt es, aber sie unterstützt diese Aktion nicht."],
    406: ["Unbekanntes Format", "Diese Seite gibt es nicht in dem Format, das verlangt wurde."],
    408: [
      "Das hat zu lange gedauert",
      "Die Anfrage ist nicht rechtzeitig angekommen. Bitte versuchen Sie es noch einmal.",
    ],
    409: [
      "Im Moment nicht möglich",
      "Das wurde inzwischen von jemand anderem geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
    ],
    412: [
      "Inzwischen geändert",
      "Das wurde inzwischen von jemand anderem geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
    ],
    413: ["Zu groß", "Was Sie gesendet haben, ist größer, als diese Website erlaubt."],
    414: ["Adresse zu lang", "Die Adresse dieser Anfrage ist länger, als diese Website erlaubt."],
    415: ["Unbekanntes Format", "Was Sie gesendet haben, hat ein Format, das diese Seite nicht annimmt."],
    417: ["Hier nicht möglich", "Die Anfrage erwartet etwas, das diese Website nicht anbietet."],
    421: ["Falscher Host", "Unter diesem Hostnamen antwortet diese Website nicht."],
    422: ["Bitte prüfen Sie Ihre Eingaben", "Ein Wert im Formular wurde nicht angenommen."],
    428: [
      "Bitte laden Sie die Seite neu",
      "Das Formular gibt nicht an, welche Version es ändert. Laden Sie die Seite neu und senden Sie das Formular noch einmal.",
    ],
    429: ["Zu viele Anfragen", "Bitte warten Sie einen Moment, bevor Sie es noch einmal versuchen."],
    431: [
      "Anfrage zu groß",
      "Die Kopfzeilen der Anfrage, zum Beispiel Cookies, sind größer, als diese Website erlaubt.",
    ],
    500: [
      "Etwas ist schiefgelaufen",
      "Der Fehler wurde aufgezeichnet. Bitte versuchen Sie es in einem Moment noch einmal.",
    ],
    501: ["Hier nicht möglich", "Diese Website unterstützt Anfragen dieser Art nicht."],
    503: [
      "Gleich wieder da",
      "Diese Website ist ausgelastet oder wird gerade aktualisiert. Bitte versuchen Sie es gleich noch einmal.",
    ],
  },
  startPage: "Zur Startseite",
  request: "Anfrage",
};
