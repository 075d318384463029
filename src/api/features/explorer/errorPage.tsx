import { type ApiError, errorCodes } from "../../server/errors/errors.ts";
import { inWords } from "./errorWords.ts";
import { SearchBox } from "./layout.tsx";
import type { Page } from "./page.ts";
import { ForgetKey, KeyForm } from "./parts/keyForm.tsx";
import { Text } from "./parts/text.tsx";

type Visited = {
  /** What the visitor looked for. */
  typed?: string | undefined;
  /** The page that could not be answered, from the root of the service. */
  path?: string;
  /** Whether the visitor's browser sent a key. */
  hasKey?: boolean;
};

/** An error of an operation as a page, with the status that HTTP gives it. */
export function errorPage(error: ApiError, { typed, path = "", hasKey = false }: Visited = {}): Page {
  const { status } = errorCodes[error.code];
  const { title, advice, needsKey } = inWords(error);
  return {
    title,
    description: title,
    canonical: "explore/search",
    status,
    hasSearchBox: true,
    body: (
      <div class="fault">
        <p class="code">
          {status} <span class="mono">{error.code}</span>
        </p>
        <h1>{title}</h1>
        <p class="lead">
          <Text>{advice}</Text>
        </p>
        {needsKey && (
          <>
            <p class="actions">
              <a class="button first" href="signup">
                Get a key
              </a>
            </p>
            <KeyForm back={path} />
            {hasKey && <ForgetKey back={path} />}
          </>
        )}
        <SearchBox isLarge typed={typed} />
        <p>
          <a href="./">Home</a> · <a href="explore/status">Index status</a> · <a href="docs">API reference</a>
        </p>
      </div>
    ),
  };
}
