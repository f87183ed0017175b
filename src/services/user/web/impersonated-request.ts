import { currentImpersonation } from "../../../authorization/index.ts";
import { html, type Html } from "../../../html/index.ts";
import { Language, LanguageInternals } from "../../../language/index.ts";
import { Csrf, type Request } from "../../../web/index.ts";
import { setPageBanner } from "../../../web/page/index.ts";
import type { ImpersonatedUser } from "../contract.ts";

/** Key of the secret id of an impersonation among the reserved values of the session. It has no login then. */
export const impersonationKey = "impersonation";

/** Path of the route that ends an impersonation. */
export const endPath = "/impersonation/end";

/** Runs a function for an administrator who acts as a user: pages show the banner, and audit entries name both. */
export function runImpersonated<Value>(
  request: Request,
  { user, impersonator }: ImpersonatedUser,
  run: () => Value,
): Value {
  setPageBanner(request, () => banner(request, user.email));
  return currentImpersonation.run({ user: user.id, impersonator: impersonator.id }, run);
}

function banner(request: Request, email: string): Html {
  const { impersonation } = LanguageInternals.frameworkTexts().services;
  const language = LanguageInternals.frameworkLanguage();
  return html`<aside
    id="limmat-banner"
    lang="${language}"
    dir="${Language.direction(language)}"
    aria-label="${impersonation.label}"
  >
    <p>${impersonation.actingAs(email)}</p>
    <form method="post" action="${request.prefix}${endPath}">
      <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
      <button>${impersonation.end}</button>
    </form>
  </aside>`;
}
