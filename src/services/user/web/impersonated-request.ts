import { currentImpersonation } from "../../../authorization/index.ts";
import { html, type Html } from "../../../html/index.ts";
import { Language, LanguageInternals } from "../../../language/index.ts";
import { bodyIn, toResponse } from "../../../http/message/index.ts";
import { Csrf, type Handler, type Request, type Response } from "../../../web/index.ts";
import { setPageBanner } from "../../../web/page/index.ts";
import type { ImpersonatedUser } from "../contract.ts";

/** Key of the secret id of an impersonation among the reserved values of the session. It has no login then. */
export const impersonationKey = "impersonation";

/** Path of the route that ends an impersonation. */
export const endPath = "/impersonation/end";

/**
 * Runs a handler for an administrator who acts as a user: pages show the banner, audit entries name both, and what belongs to the
 * user alone is refused, also while a body is streamed.
 */
export async function runImpersonated(
  handler: Handler,
  request: Request,
  { user, impersonator }: ImpersonatedUser,
): Promise<Response> {
  setPageBanner(request, () => banner(request, user.email));
  const acting = { user: user.id, impersonator: impersonator.id };
  const inContext = <Value>(run: () => Value): Value => currentImpersonation.run(acting, run);
  const response = toResponse(await inContext(() => handler(request)));
  return response.withBody(bodyIn(response.body, inContext));
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
