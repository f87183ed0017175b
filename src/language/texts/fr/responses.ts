import type { ResponseTexts } from "../en/responses.ts";

/** Texts of responses. */
export const responseTexts: ResponseTexts = {
  statuses: {
    400: ["Requête incorrecte", "Le navigateur a envoyé une requête que ce site ne peut pas lire."],
    401: ["Veuillez vous connecter", "Cette page n’est accessible qu’après connexion."],
    403: [
      "Action non autorisée",
      "Vous n’avez pas l’autorisation nécessaire. Si vous avez envoyé un formulaire, revenez en arrière, rechargez la page et renvoyez-le.",
    ],
    404: ["Page introuvable", "Il n’y a rien à cette adresse. La page a peut-être été déplacée ou n’a jamais existé."],
    405: ["Impossible ici", "Cette adresse existe, mais elle ne permet pas cette action."],
    406: ["Format inconnu", "Cette page n’existe pas dans le format demandé."],
    408: ["Délai dépassé", "La requête n’est pas arrivée à temps. Veuillez réessayer."],
    409: [
      "Impossible pour le moment",
      "Quelqu’un d’autre a fait une modification entre-temps. Rechargez la page et réessayez.",
    ],
    412: [
      "Modifié entre-temps",
      "Quelqu’un d’autre a fait une modification entre-temps. Rechargez la page et réessayez.",
    ],
    413: ["Envoi trop volumineux", "Votre envoi dépasse la taille que ce site accepte."],
    414: ["Adresse trop longue", "L’adresse de cette requête dépasse la longueur que ce site accepte."],
    415: ["Format inconnu", "Votre envoi a un format que cette page n’accepte pas."],
    417: ["Impossible ici", "La requête attend quelque chose que ce site ne propose pas."],
    421: ["Hôte incorrect", "Ce site ne répond pas sous ce nom d’hôte."],
    422: ["Veuillez vérifier votre saisie", "Une valeur du formulaire n’a pas été acceptée."],
    428: [
      "Veuillez recharger la page",
      "Le formulaire n’indique pas quelle version il modifie. Rechargez sa page et renvoyez-le.",
    ],
    429: ["Trop de requêtes", "Veuillez patienter un instant avant de réessayer."],
    431: [
      "Requête trop volumineuse",
      "Les en-têtes de la requête, par exemple les cookies, dépassent la taille que ce site accepte.",
    ],
    500: ["Une erreur s’est produite", "L’erreur a été enregistrée. Veuillez réessayer dans un instant."],
    501: ["Impossible ici", "Ce site n’accepte pas ce type de requête."],
    503: [
      "De retour dans un instant",
      "Ce site est surchargé ou en cours de mise à jour. Veuillez réessayer sous peu.",
    ],
  },
  startPage: "Aller à la page d’accueil",
  request: "Requête",
};
