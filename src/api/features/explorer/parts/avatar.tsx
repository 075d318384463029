/** Where the picture of a name is, from the root of the service. */
export const avatarUrl = (name: string): string => `avatar/${encodeURIComponent(name)}`;

/** The picture of a name, which this service fetches. Readers of the screen hear the name beside it alone. */
export const Avatar = ({ name, side }: { name: string; side: number }) => (
  <img
    class="picture"
    src={avatarUrl(name)}
    alt=""
    width={side}
    height={side}
    loading="lazy"
    decoding="async"
  />
);
