import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Guard } from "./parts/guard.tsx";
import { AppContext } from "./parts/use-store.ts";
import { createApi } from "./state/api-client.ts";
import { createApp } from "./state/app.ts";
import { createClientKey } from "./state/client-key.ts";
import { mendLanguage } from "./state/mend-language.ts";
import { createRouter } from "./state/router.ts";
import "./styles/index.css";
import { Frame } from "./views/frame.tsx";

mendLanguage(navigator);
const clientKey = createClientKey((input, init) => fetch(input, init));
const app = createApp({ api: createApi(clientKey.fetch), router: createRouter(window), clientKey });
void app.start();

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <Guard>
        <AppContext value={app}>
          <Frame />
        </AppContext>
      </Guard>
    </StrictMode>,
  );
