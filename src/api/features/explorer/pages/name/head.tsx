import { Outward, TextOrLink } from "../../parts/link.tsx";
import { useIpfsUrl } from "../../parts/outside.ts";
import { LongText, Text } from "../../parts/text.tsx";
import type { Records } from "../../replies.ts";
import { contentUri } from "./contenthash.ts";
import { type Social, socialsOf } from "./socials.ts";

/** Longest name that a person gives itself in a record, as the head shows it. */
const MAX_CALLED = 80;

/** What a name says of who has it: written by its owner, and not checked. Nothing where it says nothing. */
export const Profile = ({ records }: { records: NonNullable<Records["records"]> }) => {
  const { texts, contenthash } = records;
  const called = texts.name?.trim();
  const description = texts.description?.trim();
  const socials = socialsOf(texts);
  const uri = contenthash ? contentUri(contenthash) : null;
  const { url, location } = texts;
  if (!called && !description && !url && !location && socials.length === 0 && uri === null) return null;
  return (
    <section class="profile" aria-label="Profile">
      {called && called.length <= MAX_CALLED && (
        <p class="who">
          <Text>{called}</Text>
        </p>
      )}
      {description && (
        <p class="says">
          <LongText text={description} />
        </p>
      )}
      <ul class="ways">
        {url && (
          <li>
            <span class="faint">Website</span> <TextOrLink text={url} />
          </li>
        )}
        {uri !== null && <Content uri={uri} />}
        {socials.map((social) => (
          <Account {...social} />
        ))}
        {location && (
          <li>
            <span class="faint">Location</span> <LongText text={location} />
          </li>
        )}
      </ul>
    </section>
  );
};

/** A link to a service that its text cannot lead elsewhere: its host stands beside it. */
const Account = ({ service, shown, url }: Social) => (
  <li>
    <span class="faint">{service}</span>{" "}
    {url === null ? (
      <LongText text={shown} />
    ) : (
      <Outward href={url}>
        <Text>{shown}</Text>
      </Outward>
    )}
  </li>
);

/** What the name points to on IPFS, by the operator's gateway. */
const Content = ({ uri }: { uri: string }) => {
  const url = useIpfsUrl(uri);
  return url === null ? null : (
    <li>
      <span class="faint">Content</span>{" "}
      <Outward href={url}>
        <span class="mono">{`${uri.slice(0, 20)}…`}</span>
      </Outward>
    </li>
  );
};
