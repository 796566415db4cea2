import { ModelsSection } from "../parts/models-section.tsx";
import { ScrollArea } from "../parts/scroll-area.tsx";
import { GROUPS, SettingField } from "../parts/settings-form.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { strings } from "../strings.ts";

export default function SettingsView() {
  const app = useApp();
  const { settings, models } = useStore(app.store);
  const words = strings.settings;
  if (settings === undefined) return <p className="empty">{strings.loading}</p>;
  return (
    <ScrollArea className="page narrow-page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <ModelsSection />
      {(["compaction", "answers", "page"] as const).map((group) => (
        <section key={group} className="settings-group">
          <h2>{words.groups[group]}</h2>
          {GROUPS[group].map((name) => (
            <SettingField
              key={name}
              name={name}
              scope="global"
              own={settings.settings[name]}
              inherited={settings.defaults[name as "auto"]}
              answer={settings}
              models={models?.models.map(({ id }) => id) ?? []}
              onChange={(change) => void app.changeSettings(change)}
            />
          ))}
        </section>
      ))}
    </ScrollArea>
  );
}
