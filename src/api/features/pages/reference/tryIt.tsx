import { Card } from "../../explorer/parts/card.tsx";
import { JSON_TYPE, type Listed, type Parameter } from "../described.ts";
import { exampleRequest } from "./examples.ts";

type Props = { listed: Listed; isMetered: boolean };

/** A form that sends the request from the browser. Without JavaScript it is not there: the examples do the same. */
export const TryIt = ({ listed, isMetered }: Props) => {
  const { method, path, operation } = listed;
  const { parameters = [], requestBody } = operation;
  const { body } = exampleRequest(listed);
  return (
    <div id="try" hidden data-method={method} data-path={path.slice(1)}>
      <Card id="trying" title="Try it">
        <form>
          <div class="filters grid">
            {parameters.map((one) => (
              <Input one={one} />
            ))}
            {isMetered && (
              <div class="field">
                <label for="try-key">Your key (X-API-Key), if you have one</label>
                <input id="try-key" type="password" autocomplete="off" spellcheck={false} />
              </div>
            )}
          </div>
          {requestBody && (
            <div class="field">
              <label for="try-body">{`Body (${JSON_TYPE})`}</label>
              <textarea id="try-body" rows={6} spellcheck={false}>
                {JSON.stringify(body, null, 2)}
              </textarea>
            </div>
          )}
          <p class="actions">
            <button type="submit" class="first">
              Send
            </button>
          </p>
        </form>
        <div aria-live="polite">
          <p id="try-status" class="mono" />
          <pre id="try-answer" hidden tabindex={0} />
        </div>
      </Card>
    </div>
  );
};

const Input = ({ one: { name, in: place, required, schema = {} } }: { one: Parameter }) => (
  <div class="field">
    <label for={`try-${name}`}>
      <code>{name}</code>
      {required && " (required)"}
    </label>
    {schema.enum === undefined ? (
      <input
        id={`try-${name}`}
        name={name}
        data-in={place}
        autocomplete="off"
        spellcheck={false}
        value={required ? String(schema.example ?? "") : ""}
        {...(required && { required: true })}
      />
    ) : (
      <select id={`try-${name}`} name={name} data-in={place}>
        {!required && (
          <option value="">{schema.default === undefined ? "" : `default: ${schema.default}`}</option>
        )}
        {schema.enum.map((choice) => (
          <option value={String(choice)}>{String(choice)}</option>
        ))}
      </select>
    )}
  </div>
);
