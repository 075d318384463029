import type { Child } from "hono/jsx";
import { Icon } from "./icon.tsx";
import { LongText, visible } from "./text.tsx";

/** Longer ones are no links that people made. */
const MAX_LINK = 2_000;

/** The URL that a text is, if a page may link to it: https alone, without a user before the host. */
function safeUrl(text: string): URL | null {
  if (text.length > MAX_LINK || !/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url : null;
}

/** A text of a stranger: as a link if it is a safe one, with the host to which it leads. */
export const TextOrLink = ({ text, url }: { text: string; url?: string }) => {
  const link = safeUrl(text);
  if (link === null) return <LongText text={text} {...(url !== undefined && { url })} />;
  return (
    <Outward href={link.href}>
      <bdi class="theirs">{visible(text)}</bdi>
    </Outward>
  );
};

/** A link of a stranger to another host, which stands beside it. */
export const Outward = ({ href, children }: { href: string; children?: Child }) => (
  <a class="outward" href={href} rel="noopener nofollow ugc" referrerpolicy="no-referrer">
    {children} <span class="host">{new URL(href).hostname}</span>
    <Icon name="out" />
  </a>
);
