import { ClientKeySection } from "../parts/client-key-section.tsx";
import { ModelsSection } from "../parts/models-section.tsx";
import { ScrollArea } from "../parts/scroll-area.tsx";
import { SettingsGroup } from "../parts/settings-form.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { strings } from "../strings.ts";

export default function SettingsView() {
  const app = useApp();
  const { settings, models } = useStore(app.store);
  const words = strings.settings;
  const windows = models?.models.map(({ window }) => window) ?? [];
  const largestWindow = windows.length === 0 ? undefined : Math.max(...windows);
  const { wanted } = useStore(app.clientKey.store);
  if (settings === undefined || wanted)
    return wanted ? (
      <ScrollArea className="page narrow-page" label={words.title}>
        <h1>{words.title}</h1>
        <ClientKeySection />
      </ScrollArea>
    ) : (
      <p className="empty">{strings.loading}</p>
    );
  return (
    <ScrollArea className="page narrow-page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <ClientKeySection />
      <ModelsSection />
      {(["compaction", "answers", "page"] as const).map((group) => (
        <SettingsGroup
          key={group}
          group={group}
          scope="global"
          levels={{ answer: settings }}
          modelWindow={largestWindow}
          onChange={app.changeSettings}
        />
      ))}
    </ScrollArea>
  );
}
