import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";

const DATA_IMAGE = /^data:image\/(png|jpe?g|gif|webp|avif|bmp);base64,/i;
const BARE_BASE64 = /^[A-Za-z0-9+/\s]{100,}={0,2}$/;

/** A picture that is part of the conversation. One that lies elsewhere is a link: loading it would tell its server. */
export function Picture({ source }: { source: string }) {
  const data = DATA_IMAGE.test(source)
    ? source
    : BARE_BASE64.test(source.slice(0, 400))
      ? `data:${source.startsWith("/9j/") ? "image/jpeg" : "image/png"};base64,${source}`
      : undefined;
  if (data !== undefined) return <img className="picture" src={data} alt={strings.chat.image} />;
  const host = URL.canParse(source) ? new URL(source).host : "";
  if (!/^https?:/i.test(source) || host === "")
    return (
      <p className="chip">
        <Icon name="image" size={16} /> {strings.chat.image}
      </p>
    );
  return (
    <p className="chip" title={strings.chat.remoteImageHelp}>
      <Icon name="image" size={16} /> {strings.chat.remoteImage(host)}{" "}
      <a href={source} target="_blank" rel="noreferrer noopener">
        {strings.chat.openImage}
      </a>
    </p>
  );
}
