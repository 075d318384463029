import type { AgentItem } from "../replies.ts";
import { Empty, type Fact, Facts } from "./card.tsx";
import { TextOrLink } from "./link.tsx";
import { LongText } from "./text.tsx";

/** Endpoints of one profile that a page shows. The JSON has all. */
const MAX_ENDPOINTS = 25;

/** What the name says about its agent. */
export const Profile = ({ profile }: { profile: NonNullable<AgentItem["profile"]> }) => {
  const { avatar, description, context, endpoints } = profile;
  const listed = Object.entries(endpoints).slice(0, MAX_ENDPOINTS);
  if (!avatar && !description && !context && listed.length === 0)
    return <Empty>This name has no agent profile.</Empty>;
  return (
    <>
      <p class="faint">Written by the owner of the name and not verified.</p>
      <Facts
        facts={[
          description !== null && ["Description", <LongText text={description} />],
          avatar !== null && ["Avatar", <TextOrLink text={avatar} />],
          context !== null && ["Context", <LongText text={context} />],
          ...listed.map(([protocol, url]): Fact => [<LongText text={protocol} />, <TextOrLink text={url} />]),
        ]}
      />
    </>
  );
};
