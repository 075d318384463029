import type { ExplorerPage } from "../page.ts";
import { ForgetKey, KeyForm } from "../parts/keyForm.tsx";

/** Where a visitor says the key that pays for the pages. */
export const keyPage: ExplorerPage = {
  path: "/explore/key",
  render: async (visit) => ({
    title: "Your key",
    description: "Use your own key for the explorer.",
    canonical: "explore/key",
    body: (
      <>
        <h1>Your key</h1>
        <p class="lead">{visit.access}</p>
        {visit.isMetered && (
          <>
            <p>
              Each part of a page is one request. With a key, requests use the key's credits.{" "}
              {visit.hasSignup && <a href="signup">Get a key</a>}
            </p>
            <KeyForm back="" />
            {visit.hasKey && <ForgetKey back="explore/key" />}
          </>
        )}
      </>
    ),
  }),
};
