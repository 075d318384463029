type Props = {
  /** Where the visitor continues, from the root of the service: `explore/name/alice.eth`. */
  back: string;
};

/** Takes the visitor's key, by which the pages then ask. */
export const KeyForm = ({ back }: Props) => (
  <form class="key" action="explore/key" method="post">
    <input type="hidden" name="back" value={back} />
    <label for="key">Your key</label>
    <span class="row">
      <input
        id="key"
        name="key"
        type="password"
        maxlength={200}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        required
      />
      <button type="submit" class="button">
        Use key
      </button>
    </span>
    <span class="faint">Your browser stores it in a cookie that scripts cannot read.</span>
  </form>
);

/** Lets the browser forget the key. */
export const ForgetKey = ({ back }: Props) => (
  <form action="explore/key" method="post">
    <input type="hidden" name="back" value={back} />
    <input type="hidden" name="key" value="" />
    <button type="submit" class="button">
      Forget my key
    </button>
  </form>
);
