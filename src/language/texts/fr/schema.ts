import type { SchemaTexts, SearchedColumn } from "../en/schema.ts";

const numberOf = (count: number, one: string, many: string): string => `${count} ${count < 2 ? one : many}`;
const characters = (count: number): string => numberOf(count, "caractère", "caractères");
const entries = (count: number): string => numberOf(count, "élément", "éléments");
const values = (count: number): string => numberOf(count, "valeur", "valeurs");
const decimalExample = (scale: number, separator: string): string => `12${separator}${"5".padEnd(scale, "0")}`;

/** Types of columns by the name of their storage. */
const columnTypes: Readonly<Record<string, string>> = {
  bool: "true ou false",
  int: "un nombre entier",
  decimal: "un nombre décimal",
  float: "un nombre",
  string: "un texte",
  text: "un texte",
  uuid: "un UUID",
  timestamp: "un moment précis",
  date: "une date",
  bytes: "une suite d’octets",
  json: "du JSON conforme à son schéma",
};

function columnType({ expected, storage }: SearchedColumn): string {
  if (storage?.oneOf !== undefined) return `l’une des options ${storage.oneOf.join(", ")}`;
  return columnTypes[storage?.type ?? ""] ?? expected;
}

/** Messages of fields, lists and records, and rules of queries and searches. */
export const schemaTexts: SchemaTexts = {
  missing: "Veuillez remplir ce champ",
  repeated: "Veuillez indiquer une seule valeur",
  characters: "Ce texte contient un caractère qui ne peut pas être enregistré",
  string: "Veuillez envoyer un texte",
  bool: "Veuillez choisir oui ou non",
  int: "Veuillez saisir un nombre entier",
  float: "Veuillez saisir un nombre",
  decimal: (scale, separator) =>
    scale === 0
      ? "Veuillez saisir un nombre entier"
      : `Veuillez saisir un nombre avec au plus ${numberOf(scale, "décimale", "décimales")}, par exemple ${decimalExample(scale, separator)}`,
  rounded: "Veuillez envoyer plus de 15 chiffres sous forme de texte",
  date: "Veuillez saisir une date, par exemple 2026-12-31",
  datetime: "Veuillez saisir une date et une heure, par exemple 2026-12-31T18:30",
  uuid: "Veuillez saisir un identifiant, par exemple 0f8fad5b-d9cb-469f-a165-70867728950e",
  json: "Veuillez saisir du JSON valide",
  option: "Veuillez choisir l’une des options",
  oneOf: (choices) => `Veuillez choisir l’une des options ${choices.join(", ")}`,
  tooShort: (min) => `Veuillez saisir au moins ${characters(min)}`,
  tooLong: (max) => `Veuillez saisir au plus ${characters(max)}`,
  tooSmall: (min) => `Veuillez saisir ${min} ou plus`,
  tooLarge: (max) => `Veuillez saisir ${max} ou moins`,
  record: "Veuillez envoyer un objet avec ce champ",
  list: "Veuillez envoyer une liste",
  tooFew: (min) => `Veuillez indiquer au moins ${entries(min)}`,
  tooMany: (max) => `Veuillez indiquer au plus ${entries(max)}`,
  invalidQuery: (problem) => `La requête n’est pas valide : ${problem}`,
  invalidBody: (problem) => `Le contenu de la requête n’est pas valide : ${problem}`,
  query: {
    expected: {
      oneOf: (choices) => `l’une des options ${choices.join(", ")}`,
      option: "l’une des options",
      bool: "true ou false",
      uuid: "un UUID",
      text: (maxLength) => `un texte de ${characters(maxLength)} au plus, sans NUL`,
      int: "un nombre entier",
      decimal: (separator) => `un nombre décimal comme ${decimalExample(2, separator)}`,
      date: "une date comme 2026-01-31",
      timestamp: "un moment comme 2026-01-31 ou 2026-01-31T12:00:00Z",
      orNone: (expected, none) => `${expected}, ou « ${none} » pour les éléments sans valeur`,
    },
    is: (expected) => `doit être ${expected}`,
    once: ["une seule valeur", "ne doit figurer qu’une fois"],
    atMost: (maxCount) => [
      `au plus ${values(maxCount)}`,
      `ne doit pas figurer plus ${maxCount === 1 ? "d’une" : `de ${maxCount}`} fois`,
    ],
    short: (maxLength) => [`au plus ${characters(maxLength)}`, `ne doit pas dépasser ${characters(maxLength)}`],
    withoutNul: ["un texte sans le caractère NUL", "ne doit pas contenir le caractère NUL"],
    unknown: (filters) => `est inconnu. La liste a les filtres ${filters.join(", ")}`,
    notWith: (other) => `ne peut pas être combiné avec « ${other} »`,
    noOffset: "doit être 0 avec « after » ou « before »",
    positive: "doit être 1 ou plus",
    tooLarge: "est trop grand",
    digits: "doit être un nombre entier, écrit avec les chiffres de 0 à 9",
    cursor: "n’est pas une position valide dans la liste",
    sort: (columns) =>
      columns.length === 0
        ? "doit être « asc » ou « desc »"
        : `doit être « asc », « desc » ou des colonnes, chacune au plus une fois, séparées par des virgules et précédées d’un trait d’union pour l’ordre décroissant : ${columns.join(", ")}`,
    unsupportedByList: "n’est pas pris en charge par cette liste",
    unsupported: "n’est pas pris en charge ici",
    names: (allowed) => `ne doit contenir que ces noms, séparés par des virgules : ${allowed.join(", ")}`,
  },
  search: {
    limit: "Le nombre d’éléments doit être un nombre entier supérieur à 0.",
    offset: "Le début doit être un nombre entier supérieur ou égal à 0.",
    filterLength: (maxLength) => `Le filtre ne doit pas dépasser ${characters(maxLength)}.`,
    textLength: (maxLength) => `Le texte ne doit pas dépasser ${characters(maxLength)}.`,
    noFilter: "Cette recherche ne prend pas en charge de filtre.",
    noText: "Cette recherche ne prend pas en charge la recherche en texte intégral.",
    unknownFilter: (name, filters) =>
      `La recherche n’a pas de filtre ${JSON.stringify(name)}. Ses filtres : ${filters.join(", ") || "aucun"}.`,
    tooManyValues: (name, maxCount) => `Le filtre « ${name} » doit avoir au plus ${values(maxCount)}.`,
    rangeKeys: (name) => `L’intervalle du filtre « ${name} » n’a que « from » et « to ».`,
    noRange: (name) => `Le filtre « ${name} » ne prend pas en charge d’intervalle.`,
    rangeNull: (name) => `L’intervalle du filtre « ${name} » ne doit pas finir par NULL. Omettez la fin.`,
    years: (name) => `Le filtre « ${name} » doit se situer entre les années 1 et 9999.`,
    wrongType: (name, column) => `Le filtre « ${name} » doit être ${columnType(column)}.`,
    valueLength: (name, maxLength) => `Le filtre « ${name} » ne doit pas dépasser ${characters(maxLength)}.`,
    decimalDigits: (name) => `Le filtre « ${name} » doit avoir au plus 65 chiffres, dont 38 au plus après le point.`,
    direction: "Le sens du tri doit être asc ou desc.",
    sortColumn: (allowed) => `La colonne de tri doit être l’une de celles-ci : ${allowed.join(", ")}.`,
    sortOnce: "Chaque colonne de tri ne doit figurer qu’une fois.",
    sortCount: (maxCount) => `Une recherche a besoin de 1 à ${maxCount} colonnes de tri.`,
    cursor:
      "Cette position dans la liste n’est pas valide. Elle appartient à une liste, un tri et un filtre. Recommencez à la première page.",
    onePosition: "Un seul de ces paramètres est possible : offset, after ou before.",
    noItemCursor: "Dans un tri par pertinence, un élément n’a pas de position. Utilisez runCursorSearch.",
  },
};
